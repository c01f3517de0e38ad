# fish completion for longhaul. `longhaul help --complete` lists the candidates for the current word.
function __longhaul_candidates
    set -l before (commandline -opc)
    set -l typed (commandline -ct)
    set -l lines ($before[1] help --complete $before[2..-1] "$typed" 2>/dev/null)
    switch "$lines[1]"
        case :files
            __fish_complete_path "$typed"
        case :directories
            __fish_complete_directories "$typed"
        case '*'
            printf '%s\n' $lines
    end
end
complete --command longhaul --no-files --arguments '(__longhaul_candidates)'
