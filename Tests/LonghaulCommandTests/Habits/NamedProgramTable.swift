extension HabitTests {
    /// Commands with the name of their program: output, silence, and replacement as there, or an answer.
    static let named = [
        HabitRow("longhaul curl http://h.example/a", .does(["to standard output", "prints nothing"])),
        HabitRow("longhaul curl -sS http://h.example/json", .does(["to standard output"])),
        HabitRow("longhaul curl -o- http://h.example/a", .does(["to standard output"])),
        HabitRow(
            "longhaul curl -sO http://h.example/taken.pdf",
            .does(["to taken.pdf", "replaces a file", "says nothing", "prints nothing"])),
        HabitRow(
            "longhaul curl -so taken.pdf http://h.example/a",
            .does(["to taken.pdf", "replaces a file", "says nothing", "prints nothing"])),
        HabitRow(
            "longhaul curl -o taken.pdf --no-clobber http://h.example/a",
            .types("longhaul http://h.example/a -o taken.pdf --skip-existing name")),
        HabitRow("longhaul curl --create-dirs -o in/to/x http://h.example/a", .does(["in in/to", "to x"])),
        HabitRow("longhaul curl --retry-delay 4 -O http://h.example/a", .does(["GET http://h.example/a"])),
        HabitRow(
            "longhaul wget -b -a log --backups=2 --random-wait http://h.example/a",
            .says("Longhaul has no equivalent of --random-wait. Type: longhaul http://h.example/a -b")),
        HabitRow(
            "longhaul aria2c -i uris.txt -j2 --max-overall-download-limit=1M",
            .types("longhaul limits --total 2 && longhaul limits --rate 1M && longhaul -i uris.txt")),
        HabitRow(
            "longhaul aria2c --referer='*' http://h.example/a", .does(["Referer: http://h.example/a"])),
        HabitRow(
            "longhaul curl -OJ http://h.example/a",
            .does(["to what the server says", "adds a number if the file exists"])),
        HabitRow(
            "longhaul curl -OO http://h.example/taken.pdf http://h.example/b",
            .does(["to taken.pdf", "to b", "replaces a file"])),
        HabitRow("longhaul curl --remote-name-all http://h.example/[1-2]", .does(["to 1", "to 2"])),
        HabitRow(
            "longhaul curl http://h.example/a http://h.example/b",
            .types("longhaul http://h.example/a http://h.example/b")),
        HabitRow("longhaul curl -OC - http://h.example/taken.pdf", .does(["to taken.pdf"])),
        HabitRow(
            "longhaul curl -s -o /dev/null http://h.example/a",
            .types("longhaul http://h.example/a -o - > /dev/null")),
        HabitRow("longhaul curl --socks5-hostname p:1080 -O http://h.example/a", .does(["by socks5h://p:1080"])),
        HabitRow("longhaul curl --oauth2-bearer abc -O http://h.example/a", .does(["Authorization: Bearer abc"])),
        HabitRow(
            "longhaul curl -o a http://h.example/1 -o b http://h.example/2",
            .types("longhaul http://h.example/1 -o a && longhaul http://h.example/2 -o b")),
        HabitRow(
            "longhaul curl -T '{some.bin,data.json}' http://h.example/up/",
            .does(["PUT http://h.example/up/some.bin", "PUT http://h.example/up/data.json"])),
        HabitRow("longhaul curl -sd a=1 http://h.example/a", .does(["sends a=1"])),
        HabitRow("longhaul curl --ciphers RC4 http://h.example/a", .types("longhaul http://h.example/a")),
        HabitRow("longhaul curl -z yesterday http://h.example/a", .types("longhaul http://h.example/a -N")),
        HabitRow(
            "longhaul wget http://h.example/a",
            .does(["to what the server says", "adds a number if the file exists"])),
        HabitRow("longhaul wget -q http://h.example/a", .does(["says nothing", "prints nothing"])),
        HabitRow("longhaul wget -O taken.pdf http://h.example/a", .does(["to taken.pdf", "replaces a file"])),
        HabitRow("longhaul wget -qO- http://h.example/a", .does(["to standard output"])),
        HabitRow("longhaul wget -nc http://h.example/taken.pdf", .does(["to taken.pdf", "skips by name"])),
        HabitRow("longhaul wget -x http://h.example/a", .does(["in h.example"])),
        HabitRow("longhaul wget -x -P folder http://h.example/b/c/a", .does(["in folder/h.example/b/c"])),
        HabitRow("longhaul wget -x -nH --cut-dirs=1 http://h.example/b/c/a", .does(["in c"])),
        HabitRow("longhaul wget -x http://h.example/a http://h.example/b", .says("-x works with one URL only")),
        HabitRow("longhaul wget --no-proxy http://h.example/a", .does(["GET http://h.example/a"])),
        HabitRow("longhaul wget -e robots=off http://h.example/a", .does(["GET http://h.example/a"])),
        HabitRow("longhaul wget -e use_proxy=yes http://h.example/a", .types("longhaul http://h.example/a")),
        HabitRow("longhaul wget --start-pos=100 http://h.example/a", .does(["bytes 100--1"])),
        HabitRow("longhaul wget --post-data=a=1 http://h.example/answer", .does(["sends a=1", "prints nothing"])),
        HabitRow("longhaul wget2 --max-threads=4 http://h.example/a", .does(["GET http://h.example/a"])),
        HabitRow(
            "longhaul aria2c --auto-file-renaming=false http://h.example/taken.pdf",
            .says("replace it with --overwrite")),
        HabitRow(
            "longhaul aria2c --auto-file-renaming=false http://h.example/a",
            .does(["to a", "fails if the file exists"])),
        HabitRow(
            "longhaul aria2c --allow-overwrite=true -o taken.pdf http://h.example/a",
            .does(["to taken.pdf", "replaces a file"])),
        HabitRow("longhaul aria2c -j5 -i uris.txt -d dl", .does(["in dl", "GET http://h.example/2"])),
        HabitRow("longhaul aria2c -x8 -s8 -j4 http://h.example/x", .does(["8 connections"])),
        HabitRow("longhaul aria2c -q http://h.example/a", .does(["says nothing", "prints nothing"])),
        HabitRow(
            "longhaul aria2c http://h.example/a http://m.example/a",
            .does(["GET http://h.example/a", "mirror http://m.example/a"])),
        HabitRow("longhaul aria2c -Z http://h.example/a http://h.example/b", .does(["GET http://h.example/b"])),
        HabitRow(
            "longhaul aria2c --max-overall-download-limit=1M http://h.example/a",
            .types("longhaul limits --rate 1M && longhaul http://h.example/a")),
        HabitRow(
            "longhaul aria2c --on-download-complete=ring http://h.example/a",
            .types("longhaul http://h.example/a")),
        HabitRow("longhaul aria2c --log=a.log http://h.example/a", .types("longhaul http://h.example/a")),
    ]
}
