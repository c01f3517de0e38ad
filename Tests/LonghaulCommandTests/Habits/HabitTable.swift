extension HabitTests {
    static let curl = [
        HabitRow("curl https://www.example.com", .does(["GET https://www.example.com/"])),
        HabitRow(
            "curl -O https://h.example/file.html",
            .does(["GET https://h.example/file.html", "to what the server says"])),
        HabitRow("curl -o thatpage.html http://www.example.com/", .does(["to thatpage.html"])),
        HabitRow("curl -L -o a http://h.example/", .does(["GET http://h.example/", "to a"])),
        HabitRow("curl -fsSL https://h.example/install.sh", .does(["GET https://h.example/install.sh"])),
        HabitRow(
            "curl --proto '=https' --tlsv1.2 -sSf https://h.example/install.sh",
            .does(["GET https://h.example/install.sh"])),
        HabitRow("curl -C - -o file http://h.example/file", .does(["GET http://h.example/file", "to file"])),
        HabitRow("curl -u name:passwd http://h.example/private", .does(["Authorization: Basic bmFtZTpwYXNzd2Q="])),
        HabitRow("curl -x my-proxy:888 http://h.example/", .does(["by my-proxy:888"])),
        HabitRow("curl -x '' http://h.example/", .does(["no proxy"])),
        HabitRow("curl -A 'Mozilla/3.0 (Win95; I)' http://h.example/", .does(["User-Agent: Mozilla/3.0 (Win95; I)"])),
        HabitRow("curl -H 'X-you-and-me: yes' http://h.example/", .does(["X-you-and-me: yes"])),
        HabitRow(
            "curl -d 'name=Rafael%20Sagula' http://h.example/guest.cgi",
            .types("longhaul request POST http://h.example/guest.cgi --data name=Rafael%20Sagula")),
        HabitRow(
            "curl -d a=1 -d b=2 http://h.example/x", .types("longhaul request POST http://h.example/x --data 'a=1&b=2'")
        ),
        HabitRow("curl -d a -d b http://h.example/x", .types("longhaul request POST http://h.example/x --data 'a&b'")),
        HabitRow(
            "curl --data-raw '{\"a\": 1}' http://h.example/x",
            .types("longhaul request POST http://h.example/x --data '{\"a\": 1}'")),
        HabitRow(
            "curl --data-binary @data.json http://h.example/x",
            .types("longhaul request POST http://h.example/x --data @data.json")),
        HabitRow(
            "curl --data-urlencode 'q=a b&c' http://h.example/x",
            .types("longhaul request POST http://h.example/x --data q=a%20b%26c")),
        HabitRow("curl -G -d q=1 http://h.example/a", .types("longhaul 'http://h.example/a?q=1'")),
        HabitRow(
            "curl --json '{\"a\":1}' http://h.example/a",
            .types("longhaul request POST http://h.example/a --json-body '{\"a\":1}'")),
        HabitRow(
            "curl -F 'file=@some.bin' -F 'name=x' http://h.example/test.cgi",
            .types("longhaul upload -F file=@some.bin -F name=x http://h.example/test.cgi")),
        HabitRow(
            "curl -T some.bin http://h.example/myfile", .types("longhaul upload some.bin http://h.example/myfile")),
        HabitRow(
            "curl --upload-file some.bin http://h.example/", .types("longhaul upload some.bin http://h.example/")),
        HabitRow("curl -X DELETE http://h.example/7", .types("longhaul request DELETE http://h.example/7")),
        HabitRow(
            "curl -X PUT -d a=1 http://h.example/7", .types("longhaul request PUT http://h.example/7 --data a=1")),
        HabitRow("curl -I http://h.example/", .types("longhaul request HEAD http://h.example/")),
        HabitRow("curl --head http://h.example/", .types("longhaul request HEAD http://h.example/")),
        HabitRow("curl -i http://h.example/", .types("longhaul http://h.example/ -v")),
        HabitRow("curl --include http://h.example/", .types("longhaul http://h.example/ -v")),
        HabitRow("curl -D heads.txt http://h.example/", .types("longhaul http://h.example/ -v")),
        HabitRow("curl --dump-header heads.txt http://h.example/", .types("longhaul http://h.example/ -v")),
        HabitRow("curl -w '%{http_code}' http://h.example/", .types("longhaul http://h.example/ --json")),
        HabitRow("curl --write-out '%{http_code}' http://h.example/", .types("longhaul http://h.example/ --json")),
        HabitRow("curl -b 'name=Daniel' http://h.example/", .types("longhaul http://h.example/ --cookie name=Daniel")),
        HabitRow(
            "curl -b cookies.txt -o a http://h.example/a",
            .types("longhaul http://h.example/a --cookie cookies.txt -o a")),
        HabitRow("curl -c jar.txt http://h.example/a", .types("longhaul http://h.example/a --cookie-jar jar.txt")),
        HabitRow("curl -u ada:pw -I http://h.example/a", .types("longhaul request HEAD http://h.example/a -u ada")),
        HabitRow(
            "curl -I --proxy-user=ada:pw -x p:1 http://ada:pw@h.example/a",
            .types("longhaul request HEAD http://ada:PASSWORD@h.example/a -U ada -x p:1")),
        HabitRow("curl --user=ada:pw h.example/a", .types("longhaul --user=ada https://h.example/a")),
        HabitRow("curl -e www.example.org http://h.example/", .does(["Referer: www.example.org"])),
        HabitRow("curl -r 0-99 http://h.example/", .does(["bytes 0-99"])),
        HabitRow(
            "curl --limit-rate 10M --retry 3 -m 60 -k -# http://h.example/",
            .does(["10485760 B/s", "3 retries", "60 s", "unchecked"])),
        HabitRow("curl --limit-rate 1.5M http://h.example/", .does(["1572864 B/s"])),
        HabitRow("curl --limit-rate 0 http://h.example/", .does(["any B/s"])),
        HabitRow("curl -v --compressed http://h.example/", .does(["GET http://h.example/"])),
        HabitRow("curl -O -J http://h.example/a", .does(["to what the server says"])),
        HabitRow(
            "curl --remote-name-all http://h.example/a http://h.example/b",
            .does(["GET http://h.example/a", "GET http://h.example/b"])),
        HabitRow("curl --url http://h.example/a", .types("longhaul http://h.example/a")),
        HabitRow("curl --http2 http://h.example/a", .does(["GET http://h.example/a"])),
        HabitRow("curl --http1.1 http://h.example/a", .types("longhaul http://h.example/a")),
        HabitRow("curl --fail-with-body http://h.example/a", .does(["GET http://h.example/a"])),
        HabitRow(
            "curl -Z http://h.example/a http://h.example/b",
            .does(["GET http://h.example/a", "GET http://h.example/b"])),
        HabitRow("curl --create-dirs -O http://h.example/b", .does(["GET http://h.example/b"])),
        HabitRow("curl --no-clobber http://h.example/a", .types("longhaul http://h.example/a --skip-existing name")),
        HabitRow("curl --no-progress-meter http://h.example/a", .does(["GET http://h.example/a"])),
        HabitRow("curl --retry-connrefused --retry 2 http://h.example/a", .does(["2 retries"])),
        HabitRow("curl --retry-all-errors --retry 2 http://h.example/a", .does(["2 retries"])),
        HabitRow("curl --retry 5 --retry-delay 2 http://h.example/a", .does(["5 retries"])),
        HabitRow("curl -4 http://h.example/a", .types("longhaul http://h.example/a")),
        HabitRow("curl -6 http://h.example/a", .says("Longhaul tries IPv6 and IPv4 side by side")),
        HabitRow("curl --interface eth0 http://h.example/a", .says("Longhaul uses the addresses and routes")),
        HabitRow(
            "curl --resolve h:80:127.0.0.1 http://h.example/a",
            .says("Longhaul uses the addresses that the system finds")),
        HabitRow(
            "curl --oauth2-bearer abc http://h.example/a",
            .types("longhaul http://h.example/a -H 'Authorization: Bearer abc'")),
        HabitRow("curl --unix-socket /run/x http://h.example/a", .says("Longhaul connects over TCP")),
        HabitRow(
            "curl --max-filesize 1000 http://h.example/a", .says("Longhaul does not support a limit for the file size")),
        HabitRow("curl --netrc-file .netrc http://h.example/a", .says("Longhaul reads the file ~/.netrc with -n")),
        HabitRow(
            "curl -z 'Mon, 01 Jun 2026 00:00:00 GMT' http://h.example/a", .types("longhaul http://h.example/a -N")),
        HabitRow(
            "curl -K curl.txt", .says("Longhaul reads options for every transfer from ~/.config/longhaul/options")),
        HabitRow("curl -sSLO http://h.example/a", .does(["GET http://h.example/a"])),
        HabitRow("curl -k -o a.html http://h.example/a", .does(["to a.html", "unchecked"])),
        HabitRow("curl -o /dev/stdout http://h.example/a -4", .types("longhaul http://h.example/a -o /dev/stdout")),
        HabitRow("curl -o /dev/null http://h.example/a", .types("longhaul http://h.example/a -o - > /dev/null")),
        HabitRow("curl -o folder/../b.txt http://h.example/a", .does(["to b.txt"])),
        HabitRow("curl -o none/../b.txt http://h.example/a", .does(["to b.txt"])),
        HabitRow("curl 'http://h.example/a URL with spaces'", .does(["GET http://h.example/a%20URL%20with%20spaces"])),
        HabitRow("curl www.example.org/file", .types("longhaul https://www.example.org/file")),
        HabitRow("curl -o a localhost:8099/x", .types("longhaul -o a http://localhost:8099/x")),
    ]

    static let wget = [
        HabitRow("wget http://fly.h.example/", .does(["GET http://fly.h.example/"])),
        HabitRow("wget --tries=45 http://fly.h.example/jpg/flyweb.jpg", .does(["44 retries"])),
        HabitRow("wget --tries=0 http://fly.h.example/jpg/flyweb.jpg", .does(["1000000 retries"])),
        HabitRow(
            "wget -t 45 -o log http://fly.h.example/jpg/flyweb.jpg",
            .types("longhaul http://fly.h.example/jpg/flyweb.jpg --retry 44")),
        HabitRow("wget -c http://h.example/large.iso", .does(["GET http://h.example/large.iso", "to large.iso"])),
        HabitRow("wget -P folder http://h.example/a", .types("longhaul http://h.example/a -d folder")),
        HabitRow("wget -i uris.txt", .does(["GET http://h.example/1", "GET http://h.example/2"])),
        HabitRow("wget -O name http://h.example/a", .types("longhaul http://h.example/a -o name")),
        HabitRow("wget http://h.example/a -O a.html", .types("longhaul http://h.example/a -o a.html")),
        HabitRow("wget --output-document=name http://h.example/a", .does(["to name"])),
        HabitRow("wget -r -l1 http://www.h.example/", .says("-r: Longhaul downloads single files")),
        HabitRow("wget -r http://www.h.example/", .says("Longhaul downloads single files, not whole sites")),
        HabitRow("wget --mirror http://www.h.example/", .says("Longhaul downloads single files, not whole sites")),
        HabitRow("wget -m http://h.example/", .says("Longhaul downloads single files, not whole sites")),
        HabitRow("wget -E -k -K -p http://www.h.example/document", .says("Longhaul downloads single files")),
        HabitRow("wget -q http://h.example/a", .does(["GET http://h.example/a"])),
        HabitRow("wget -q --show-progress http://h.example/a", .does(["GET http://h.example/a"])),
        HabitRow("wget -b http://h.example/a", .does(["GET http://h.example/a", "in the background"])),
        HabitRow("wget --background http://h.example/a", .does(["GET http://h.example/a", "in the background"])),
        HabitRow("wget -N http://h.example/a", .does(["to a", "only if newer"])),
        HabitRow("wget --limit-rate=20k --user-agent=x http://h.example/a", .does(["20480 B/s", "User-Agent: x"])),
        HabitRow("wget --user=ada --password=pw http://h.example/a", .types("longhaul http://h.example/a -u ada")),
        HabitRow("wget --no-check-certificate https://h.example/a", .does(["unchecked"])),
        HabitRow(
            "wget --header='Accept-Charset: iso-8859-2' http://h.example/a", .does(["Accept-Charset: iso-8859-2"])),
        HabitRow(
            "wget --post-data='user=foo&password=bar' http://h.example/auth.php",
            .types("longhaul request POST http://h.example/auth.php --data 'user=foo&password=bar'")),
        HabitRow(
            "wget --method=PUT --body-file=data.json http://h.example/auth.php",
            .types("longhaul request PUT http://h.example/auth.php --data @data.json")),
        HabitRow("wget --spider http://h.example/a", .types("longhaul request HEAD http://h.example/a")),
        HabitRow("wget -T 30 -w 10 http://h.example/a", .types("longhaul http://h.example/a --stall-timeout 30")),
        HabitRow("wget --timeout=30 http://h.example/a", .does(["stalls 30 s"])),
        HabitRow("wget --content-disposition http://h.example/a", .does(["GET http://h.example/a"])),
        HabitRow("wget --waitretry=3 http://h.example/a", .does(["GET http://h.example/a"])),
        HabitRow("wget -nc http://h.example/a", .types("longhaul http://h.example/a --skip-existing name")),
        HabitRow("wget -qO- http://h.example/a", .types("longhaul http://h.example/a -q -o -")),
        HabitRow("wget http://h.example/a -O -", .types("longhaul http://h.example/a -o -")),
        HabitRow("wget --no-proxy http://h.example/a", .types("longhaul http://h.example/a -x ''")),
        HabitRow("wget -S http://h.example/a", .does(["GET http://h.example/a"])),
        HabitRow("wget --start-pos=100 http://h.example/a", .types("longhaul http://h.example/a -r 100-")),
    ]

    static let aria2 = [
        HabitRow("aria2c http://h.example/image.iso", .does(["GET http://h.example/image.iso"])),
        HabitRow("aria2c -s2 http://h.example/image.iso", .does(["2 connections"])),
        HabitRow("aria2c -x2 http://h.example/image.iso", .does(["2 connections"])),
        HabitRow("aria2c -x 16 -s 16 -k1M http://h.example/image.iso", .does(["16 connections"])),
        HabitRow("aria2c -x16 -s16 http://h.example/image.iso", .does(["16 connections"])),
        HabitRow("aria2c --max-connection-per-server=4 http://h.example/image.iso", .does(["4 connections"])),
        HabitRow(
            "aria2c -Z http://h.example/file1 http://h.example/file2",
            .does(["GET http://h.example/file1", "GET http://h.example/file2"])),
        HabitRow(
            "aria2c -P http://h.example/chapter-{01,02}.html",
            .types("longhaul 'http://h.example/chapter-{01,02}.html'")),
        HabitRow("aria2c -i uris.txt", .does(["GET http://h.example/1", "GET http://h.example/2"])),
        HabitRow("aria2c -d new http://h.example/a", .does(["in new"])),
        HabitRow("aria2c -o out.bin http://h.example/a", .does(["to out.bin"])),
        HabitRow("aria2c --dir=new http://h.example/a", .does(["in new"])),
        HabitRow("aria2c -c -o file.tgz http://h.example/file.tgz", .does(["to file.tgz"])),
        HabitRow("aria2c --continue=true -o file.tgz http://h.example/file.tgz", .does(["to file.tgz"])),
        HabitRow(
            "aria2c --checksum=sha-1=0192ba11326fe2298c8cb4de616f4d4140213838 http://h.example/a",
            .does(["sha1"])),
        HabitRow("aria2c --max-download-limit=100K http://h.example/a", .does(["102400 B/s"])),
        HabitRow("aria2c --max-tries=3 http://h.example/a", .does(["2 retries"])),
        HabitRow("aria2c --max-tries 0 http://h.example/a", .does(["1000000 retries"])),
        HabitRow("aria2c --all-proxy=http://proxy:8080 http://h.example/a", .does(["by http://proxy:8080"])),
        HabitRow(
            "aria2c --http-user=ada --http-passwd=pw http://h.example/a", .types("longhaul http://h.example/a -u ada")),
        HabitRow("aria2c --header='X-A: b9J1' http://h.example/a", .does(["X-A: b9J1"])),
        HabitRow("aria2c --load-cookies=cookies.txt http://h.example/a", .does(["cookies of cookies.txt"])),
        HabitRow("aria2c -j2 -i uris.txt", .types("longhaul limits --total 2 && longhaul -i uris.txt")),
        HabitRow(
            "aria2c --max-overall-download-limit=1M http://h.example/a",
            .types("longhaul limits --rate 1M && longhaul http://h.example/a")),
        HabitRow(
            "aria2c 'magnet:?xt=urn:btih:248D0A1CD08284299DE78D5C1ED359BB46717D8C'",
            .says("Longhaul does not support magnet URLs")),
        HabitRow("aria2c --remote-time=true http://h.example/a", .does(["with the server's time"])),
        HabitRow("aria2c --check-certificate=false https://h.example/a", .does(["unchecked"])),
        HabitRow(
            "aria2c --allow-overwrite=true --file-allocation=none http://h.example/a", .does(["GET http://h.example/a"])
        ),
        HabitRow("aria2c --save-session=list.txt -i uris.txt", .does(["GET http://h.example/1"])),
        HabitRow("aria2c --enable-rpc", .says("Longhaul runs a service for each user; --json answers programs")),
        HabitRow(
            "aria2c --conf-path=aria2.conf http://h.example/a",
            .says("~/.config/longhaul/options, such as limit-rate 2M. Type: longhaul ")),
        HabitRow("aria2c --summary-interval=0 http://h.example/a", .does(["GET http://h.example/a"])),
        HabitRow("aria2c --retry-wait=5 http://h.example/a", .does(["GET http://h.example/a"])),
        HabitRow("aria2c --dry-run=true http://h.example/a", .types("longhaul request HEAD http://h.example/a")),
    ]

    static let others = [
        HabitRow("at --not-before 8pm http://h.example/a", .does(["starts 2026-01-02 20:00:00"])),
        HabitRow("at --not-before noon http://h.example/a", .does(["starts 2026-01-02 12:00:00"])),
        HabitRow("at --not-before monday http://h.example/a", .does(["starts 2026-01-05 00:00:00"])),
        HabitRow("at --not-before +1h30m http://h.example/a", .does(["starts 2026-01-02 05:34:05"])),
        HabitRow(
            "at --not-before 'next week' http://h.example/a",
            .says("The start time must be such as 23:00, 8pm, monday, ")),
        HabitRow("rsync --bwlimit 2M http://h.example/a", .does(["2097152 B/s"])),
        HabitRow("rclone --dry-run http://h.example/a", .types("longhaul request HEAD http://h.example/a")),
        HabitRow("longhaul upload --rate 2M a http://h.example/a", .says("Did you mean --limit-rate?")),
        HabitRow(
            "longhaul upload -d name=x http://h.example/a",
            .types("longhaul request POST http://h.example/a --data name=x")),
        HabitRow(
            "longhaul upload -T some.bin http://h.example/a", .types("longhaul upload some.bin http://h.example/a")),
        HabitRow(
            "longhaul upload -r folder http://h.example/a", .types("longhaul upload folder/* http://h.example/a/")),
        HabitRow("longhaul upload folder http://h.example/a/", .types("longhaul upload folder/* http://h.example/a/")),
        HabitRow("longhaul upload http://h.example/a some.bin", .types("longhaul upload some.bin http://h.example/a")),
        HabitRow("longhaul upload some.bin h.example/a", .types("longhaul upload some.bin https://h.example/a")),
        HabitRow("longhaul request http://h.example/a GET", .types("longhaul request GET http://h.example/a")),
        HabitRow(
            "longhaul request POST http://h.example/a a=b",
            .types("longhaul request POST http://h.example/a --data a=b")),
        HabitRow(
            "longhaul request -d a=1 -d b=2 http://h.example/a",
            .types("longhaul request POST http://h.example/a --data 'a=1&b=2'")),
        HabitRow("longhaul -q upload --tus some.bin http://h.example/a", .does(["POST http://h.example/a"])),
        HabitRow(
            "longhaul --limit-rate 1k -k upload some.bin http://h.example/a",
            .does(["PUT http://h.example/a", "1024 B/s"])),
        HabitRow("longhaul -o list http://h.example/a", .does(["to list"])),
        HabitRow("http POST http://h.example/a a=b", .types("longhaul request POST http://h.example/a --data a=b")),
        HabitRow(
            "http PUT http://h.example/a 'X-A:1' a=b c=d",
            .types("longhaul request PUT http://h.example/a -H X-A:1 --data 'a=b&c=d'")),
        HabitRow("longhaul post http://h.example/a a=b", .types("longhaul request POST http://h.example/a --data a=b")),
        HabitRow("longhaul post", .types("longhaul request POST URL")),
        HabitRow("longhaul copy some.bin http://h.example/a", .types("longhaul upload some.bin http://h.example/a")),
        HabitRow("longhaul copy http://h.example/a folder", .types("longhaul http://h.example/a -d folder")),
        HabitRow("longhaul kill 00000001", .types("longhaul cancel 00000001")),
        HabitRow("longhaul kill", .types("longhaul cancel ID")),
        HabitRow("longhaul clear", .types("longhaul remove --all")),
        HabitRow("longhaul queue", .types("longhaul list")),
        HabitRow("longhaul login", .says("longhaul help credentials")),
        HabitRow("longhaul config", .types("longhaul limits")),
        HabitRow("longhaul completion", .types("longhaul doctor")),
        HabitRow("longhaul service restart", .types("longhaul service stop")),
        HabitRow("longhaul fetch http://h.example/a", .types("longhaul http://h.example/a")),
        HabitRow("longhaul http://h.example/a list", .types("longhaul list")),
        HabitRow("longhaul some.bin http://h.example/a", .types("longhaul upload some.bin http://h.example/a")),
        HabitRow("longhaul ftp://h.example/file", .says("Longhaul does not support ftp URLs")),
    ]

    /// Commands copied from a browser, and commands of other programs, typed after `longhaul` with the program's name.
    static let copied = [
        HabitRow(
            "longhaul curl 'https://h.example/x' -H 'accept: */*' -H 'accept-encoding: gzip, br' -b 'a=b; c=d' "
                + "--compressed --data-raw '{\"a\":1}' -X PATCH",
            .does([
                "PATCH https://h.example/x", "accept: */*", "asks for no encoding", "Cookie: a=b; c=d",
                "sends {\"a\":1}",
            ])),
        HabitRow(
            "longhaul curl 'https://h.example/x' -H 'accept: */*' -b 'a=b; c=d' --compressed",
            .does(["GET https://h.example/x", "to what the server says", "Cookie: a=b; c=d"])),
        HabitRow(
            "longhaul 'https://h.example/x' -H 'accept: */*' -H 'Accept-Encoding: gzip' --compressed",
            .does(["GET https://h.example/x", "accept: */*", "asks for no encoding"])),
        HabitRow(
            "longhaul 'https://h.example/x' -H 'accept: */*' -b 'a=b; c=d' --compressed",
            .types("longhaul https://h.example/x -H 'accept: */*' --cookie 'a=b; c=d'")),
        HabitRow("longhaul curl -fsSL h.example/x -o y -k", .does(["GET http://h.example/x", "to y", "unchecked"])),
        HabitRow("longhaul curl -F a=@some.bin -F b=c http://h.example/x", .does(["form of a,b"])),
        HabitRow(
            "longhaul curl -T some.bin -u a:b http://h.example/x",
            .does(["PUT http://h.example/x", "Authorization: Basic YTpi"])),
        HabitRow("longhaul curl -I http://h.example/x", .does(["HEAD http://h.example/x"])),
        HabitRow(
            "longhaul curl --json '{}' http://h.example/x",
            .does(["POST http://h.example/x", "Content-Type: application/json"])),
        HabitRow("longhaul curl -x p:1 -O -C - http://h.example/x", .does(["by p:1"])),
        HabitRow("longhaul curl -4 http://h.example/x", .types("longhaul http://h.example/x")),
        HabitRow("longhaul wget -qO a http://h.example/x", .does(["to a", "GET http://h.example/x"])),
        HabitRow("longhaul wget --user=a --password=b http://h.example/x", .does(["Authorization: Basic YTpi"])),
        HabitRow("longhaul wget -m http://h.example/x", .says("-m: Longhaul downloads single files")),
        HabitRow("longhaul aria2c -x8 -k1M -d folder http://h.example/x", .does(["8 connections", "in folder"])),
    ]
}
