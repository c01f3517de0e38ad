import LonghaulCore
import Synchronization
import Testing

@testable import LonghaulCommand

/// The first commands that come to mind to people who know curl, wget or aria2, twenty of each from their manuals' examples:
/// with our name in the place of theirs they do what was meant, or a sentence tells how it is done here.
struct HabitTests {
    @Test(arguments: curl) func ofCurl(row: HabitRow) async throws { try await check(row) }

    @Test(arguments: wget) func ofWget(row: HabitRow) async throws { try await check(row) }

    @Test(arguments: aria2) func ofAria2(row: HabitRow) async throws { try await check(row) }

    @Test(arguments: others) func ofTheirManualsFurtherOn(row: HabitRow) async throws { try await check(row) }

    @Test func thereAreSixty() {
        #expect([Self.curl, Self.wget, Self.aria2].map(\.count) == [20, 20, 20])
    }

    private func check(_ row: HabitRow) async throws {
        let scratch = Scratch()
        try scratch.write("http://h.example/1\nhttp://h.example/2\n", to: "uris.txt")
        try scratch.write("# Netscape HTTP Cookie File\n", to: "cookies.txt")
        let test = TestWorld()
        let status = await test.run(list: row.words + ["--detach"], directory: scratch.path)
        let facts = test.service.state.withLock { $0.submitted }.map(\.facts)
        let isDone = status == 0 && !facts.isEmpty
        switch row.meaning {
        case .does(let wanted):
            #expect(isDone, "\(test.said)")
            for fact in wanted { #expect(facts.contains { $0.contains(fact) }, "\(fact) is not in \(facts)") }
        case .says(let sentence):
            #expect(status == 2 && facts.isEmpty, "it did something else: \(facts)")
            #expect(test.said.contains(sentence), "\(test.said)")
        }
    }

    private static let curl = [
        HabitRow("curl https://www.example.com", .does(["GET https://www.example.com/"])),
        HabitRow(
            "curl -O https://h.example/file.html",
            .does(["GET https://h.example/file.html", "to what the server says"])),
        HabitRow("curl -o thatpage.html http://www.example.com/", .does(["to thatpage.html"])),
        HabitRow("curl -L -o a http://h.example/", .does(["GET http://h.example/", "to a"])),
        HabitRow("curl -fsSL https://h.example/install.sh", .does(["GET https://h.example/install.sh"])),
        HabitRow("curl -C - -o file http://h.example/file", .does(["GET http://h.example/file", "to file"])),
        HabitRow("curl -u name:passwd http://h.example/private", .does(["Authorization: Basic bmFtZTpwYXNzd2Q="])),
        HabitRow("curl -x my-proxy:888 http://h.example/", .does(["by my-proxy:888"])),
        HabitRow("curl -A 'Mozilla/3.0 (Win95; I)' http://h.example/", .does(["User-Agent: Mozilla/3.0 (Win95; I)"])),
        HabitRow("curl -H 'X-you-and-me: yes' http://h.example/", .does(["X-you-and-me: yes"])),
        HabitRow("curl -d 'name=Rafael%20Sagula' http://h.example/guest.cgi", .says("longhaul request")),
        HabitRow("curl -F 'file=@cooltext.txt' -F 'name=x' http://h.example/test.cgi", .says("longhaul upload -F")),
        HabitRow("curl -T uploadfile http://h.example/myfile", .says("longhaul upload")),
        HabitRow("curl -X DELETE http://h.example/7", .says("longhaul request")),
        HabitRow("curl -I http://h.example/", .says("longhaul request HEAD")),
        HabitRow("curl -b 'name=Daniel' http://h.example/", .says("--cookie 'name=Daniel'")),
        HabitRow("curl -e www.example.org http://h.example/", .does(["Referer: www.example.org"])),
        HabitRow("curl -r 0-99 http://h.example/", .does(["bytes 0-99"])),
        HabitRow(
            "curl --limit-rate 10M --retry 3 -m 60 -k -# http://h.example/",
            .does(["10485760 B/s", "3 retries", "60 s", "unchecked"])),
        HabitRow("curl -v --compressed http://h.example/", .says("files come as they are")),
    ]

    private static let wget = [
        HabitRow("wget http://fly.h.example/", .does(["GET http://fly.h.example/"])),
        HabitRow("wget --tries=45 http://fly.h.example/jpg/flyweb.jpg", .does(["45 retries"])),
        HabitRow("wget -t 45 -o log http://fly.h.example/jpg/flyweb.jpg", .says("--retry N")),
        HabitRow("wget -c http://h.example/large.iso", .does(["GET http://h.example/large.iso", "to large.iso"])),
        HabitRow("wget -P /tmp http://h.example/a", .says("-d chooses the directory")),
        HabitRow("wget -i uris.txt", .does(["GET http://h.example/1", "GET http://h.example/2"])),
        HabitRow("wget -O name http://h.example/a", .says("-o name")),
        HabitRow("wget -r -l1 http://www.h.example/", .says("single files")),
        // What mirrors a whole site there names another place of one file here.
        HabitRow("wget --mirror http://www.h.example/", .says("never whole sites: --mirror takes another place")),
        HabitRow("wget -E -k -K -p http://www.h.example/document", .says("single files")),
        HabitRow("wget -q http://h.example/a", .does(["GET http://h.example/a"])),
        HabitRow("wget -b http://h.example/a", .does(["GET http://h.example/a"])),
        HabitRow("wget -N http://h.example/a", .does(["to a", "only if newer"])),
        HabitRow("wget --limit-rate=20k --user-agent=x http://h.example/a", .does(["20480 B/s", "User-Agent: x"])),
        HabitRow("wget --user=ada --password=pw http://h.example/a", .says("-u USER")),
        HabitRow("wget --no-check-certificate https://h.example/a", .does(["unchecked"])),
        HabitRow(
            "wget --header='Accept-Charset: iso-8859-2' http://h.example/a", .does(["Accept-Charset: iso-8859-2"])),
        HabitRow("wget --post-data='user=foo&password=bar' http://h.example/auth.php", .says("longhaul request")),
        HabitRow("wget --spider http://h.example/a", .says("longhaul request HEAD")),
        HabitRow("wget -T 30 -w 10 http://h.example/a", .says("-m limits the time")),
    ]

    private static let aria2 = [
        HabitRow("aria2c http://h.example/image.iso", .does(["GET http://h.example/image.iso"])),
        HabitRow("aria2c -s2 http://h.example/image.iso", .says("--split N")),
        HabitRow("aria2c -x2 http://h.example/image.iso", .says("--split 2")),
        HabitRow(
            "aria2c -Z http://h.example/file1 http://h.example/file2", .says("several URLs are several downloads")),
        HabitRow("aria2c -P http://h.example/chapter-{01,02,03}.html", .says("{a,b}")),
        HabitRow("aria2c -i uris.txt", .does(["GET http://h.example/1", "GET http://h.example/2"])),
        HabitRow("aria2c -d new http://h.example/a", .does(["in new"])),
        HabitRow("aria2c -o out.bin http://h.example/a", .does(["to out.bin"])),
        HabitRow("aria2c --dir=new http://h.example/a", .does(["in new"])),
        HabitRow("aria2c -c -o file.tgz http://h.example/file.tgz", .does(["to file.tgz"])),
        HabitRow(
            "aria2c --checksum=sha-1=0192ba11326fe2298c8cb4de616f4d4140213838 http://h.example/a",
            .does(["sha1"])),
        HabitRow("aria2c --max-download-limit=100K http://h.example/a", .does(["102400 B/s"])),
        HabitRow("aria2c --all-proxy=http://proxy:8080 http://h.example/a", .does(["by http://proxy:8080"])),
        HabitRow("aria2c --http-user=ada --http-passwd=pw http://h.example/a", .says("-u USER")),
        HabitRow("aria2c --header='X-A: b9J1' http://h.example/a", .does(["X-A: b9J1"])),
        HabitRow("aria2c --load-cookies=cookies.txt http://h.example/a", .does(["cookies of cookies.txt"])),
        HabitRow("aria2c -j2 -i uris.txt", .says("longhaul limits --total")),
        HabitRow("aria2c 'magnet:?xt=urn:btih:248D0A1CD08284299DE78D5C1ED359BB46717D8C'", .says("http and https")),
        HabitRow("aria2c ftp://h.example/file", .says("http")),
        HabitRow(
            "aria2c --allow-overwrite=true --file-allocation=none http://h.example/a", .does(["GET http://h.example/a"])
        ),
    ]

    private static let others = [
        HabitRow("curl --create-dirs -o a/b.txt http://h.example/b", .says("-d makes the directory")),
        HabitRow("longhaul upload --rate 2M a http://h.example/a", .says("did you mean --limit-rate")),
        HabitRow("longhaul upload -d name=x http://h.example/a", .says("longhaul request")),
        HabitRow("curl --retry 5 --retry-delay 2 http://h.example/a", .says("waits between attempts grow")),
        HabitRow("curl -z 'Mon, 01 Jun 2026 00:00:00 GMT' http://h.example/a", .says("-N replaces")),
        HabitRow("curl -G -d q=1 http://h.example/a", .says("stands in the URL")),
        HabitRow("curl -4 http://h.example/a", .says("no option -4: IPv4 and IPv6")),
        HabitRow("curl -K curl.txt", .says("~/.config/longhaul/options")),
        HabitRow("curl --json '{\"a\":1}' http://h.example/a", .says("")),
        HabitRow("curl -b cookies.txt -o a http://h.example/a", .says("--cookie cookies.txt")),
        HabitRow("curl -sSLO http://h.example/a", .does(["GET http://h.example/a"])),
        HabitRow("curl -k -o a.html http://h.example/a", .does(["to a.html", "unchecked"])),
        HabitRow("wget --background http://h.example/a", .does(["GET http://h.example/a"])),
        HabitRow("wget http://h.example/a -O a.html", .says("-o a.html")),
        HabitRow("wget -m http://h.example/", .says("never whole sites: -m takes a time")),
        HabitRow("wget --content-disposition http://h.example/a", .does(["GET http://h.example/a"])),
        HabitRow("wget --waitretry=3 http://h.example/a", .says("waits between attempts grow")),
        HabitRow("wget -nc http://h.example/a", .says("--skip-existing")),
        HabitRow("aria2c --save-session=list.txt -i uris.txt", .says("kept by itself")),
        HabitRow("aria2c --enable-rpc", .says("--json")),
        HabitRow("aria2c --conf-path=aria2.conf http://h.example/a", .says("~/.config/longhaul/options")),
        HabitRow("aria2c --summary-interval=0 http://h.example/a", .does(["GET http://h.example/a"])),
        HabitRow("aria2c --retry-wait=5 http://h.example/a", .says("waits between attempts grow")),
        HabitRow("longhaul -q list", .says("it comes first: longhaul list")),
    ]
}
