import LonghaulCore
import TestSupport
import Testing

/// The first example system: a photo upload with a toast, as the user sees it.
extension DesktopTests {
    @Suite struct PhotoDropTests {
        private let app = Example.photoDrop
        private let body = Latch()
        private let answer = Latch()

        @Test func aPhotoIsChosenSentAndConfirmed() async throws {
            let (desktop, server) = try await begin()
            let photo = try await sunset(desktop)
            try desktop.makeViewer(of: ["image/jpeg"])
            let running = try desktop.start(app)
            _ = try await desktop.find("Drop Photos Here", role: "label", in: app)
            try await desktop.picture("photo-drop-1-empty")
            try await desktop.click("Choose Photos…", role: "push button", in: app)
            _ = try await desktop.find("Add Photos", in: app)
            // A slash opens the field for a path.
            try await desktop.press("slash")
            _ = try await desktop.find("*", role: "text", in: app)
            try await desktop.type(String(photo.dropFirst()))
            try await desktop.press("Return")
            try await body.waitForArrivals()
            _ = try await desktop.find("You can close this window", in: app)
            _ = try await desktop.find("??% of *", in: app)
            try await desktop.picture("photo-drop-2-uploading")
            body.open()
            _ = try await desktop.find("Sent, waiting for the server", in: app)
            try await answer.waitForArrivals()
            try await desktop.picture("photo-drop-3-sent")
            answer.open()
            _ = try await desktop.find("sunset.jpg is in the album", role: "label", in: app)
            try await desktop.picture("photo-drop-4-success")
            try await desktop.click("sunset.jpg", role: "label", in: app)
            #expect(try await desktop.viewed() == photo)
            #expect(running.isRunning)
            #expect(server.requests.map(\.isBodyComplete) == [true])
            let request = try #require(server.requests.first)
            #expect(request.header("Content-Type")?.hasPrefix("multipart/form-data; boundary=") == true)
            let head = String(decoding: request.body.prefix(600), as: UTF8.self)
            #expect(head.contains("name=\"photo\"; filename=\"sunset.jpg\"") && head.contains("image/jpeg"))
        }

        @Test func closedAppContinuesUploadAndShowsProgressWhenReopened() async throws {
            let (desktop, server) = try await begin()
            let running = try desktop.start(app, try await sunset(desktop))
            try await body.waitForArrivals()
            let seen = try await desktop.settled("??% of *", in: app)
            #expect(try await desktop.close(app, running) == .exited(0))
            try await desktop.clickNotification(picture: "photo-drop-5-goes-on")
            // The bus starts the app on the click.
            _ = try await desktop.find("You can close this window", in: app)
            let back = try await desktop.find("??% of *", in: app).name
            try await desktop.picture("photo-drop-6-back")
            try await desktop.click("Close", in: app)
            let again = try desktop.start(app, with: ["PHOTO_DROP_TRACE": "1"])
            let line = try await again.waitForOutput(for: "its progress") { $0.contains("ms\n") ? $0 : nil }
            print("Photo Drop opened again: \(line)", terminator: "")
            // A busy machine may fill the sockets further at any time, so that later values can only be higher.
            let values = [seen, back, line, try await desktop.find("??% of *", in: app).name].map(percent)
            #expect(values == values.sorted() && values.allSatisfy { 40...90 ~= $0 }, "\(values)")
            body.open()
            answer.open()
            _ = try await desktop.find("sunset.jpg is in the album", role: "label", in: app)
            #expect(server.requests.map(\.isBodyComplete) == [true], "one request, from its first byte to its last")
        }

        @Test func killedWhileItWaitsForTheServerThereIsOnePhotoAndItKnowsWhatBecameOfIt() async throws {
            let (desktop, server) = try await begin()
            body.open()
            let running = try desktop.start(app, try await sunset(desktop))
            try await answer.waitForArrivals()
            _ = try await desktop.find("Sent, waiting for the server", in: app)
            running.signal(9)
            try await running.waitForEnd()
            try await desktop.waitForNotification(picture: "photo-drop-7-killed")
            let again = try desktop.start(app)
            _ = try await desktop.find("Sent, waiting for the server", in: app)
            try await desktop.picture("photo-drop-8-still-waiting")
            again.signal(9)
            try await again.waitForEnd()
            answer.open()
            try await server.waitForFinishedRequests(1)
            let last = try desktop.start(app)
            _ = try await desktop.find("sunset.jpg is in the album", role: "label", in: app)
            #expect(last.isRunning)
            #expect(server.requests.map(\.status) == [201])
        }

        @Test func killDuringWaitSendsPhotoOnceAndReportsIt() async throws {
            let (desktop, server) = try await begin()
            body.open()
            let running = try desktop.start(app, try await sunset(desktop))
            try await answer.waitForArrivals()
            _ = try await desktop.find("Sent, waiting for the server", in: app)
            running.signal(9)
            try await desktop.product.killService()
            try await running.waitForEnd()
            answer.open()
            let again = try desktop.start(app)
            _ = try await desktop.find("No answer came for sunset.jpg", in: app)
            _ = try await desktop.find("Sent, but no answer came. *", in: app)
            try await desktop.picture("photo-drop-9-unknown")
            #expect(again.isRunning)
            #expect(server.requests.count == 1)
        }

        @Test func aDroppedPhotoThatIsRefusedIsTriedAgainAndABusyServerIsWaitedFor() async throws {
            let (desktop, server) = try await begin()
            try await Example.sample.build()
            server.setRoute("/album", .inTurn(.status(403), .status(201)))
            let photo = try await desktop.makePhoto("garden.jpg", sky: "#7fb2e5-#e8f1e4", sea: "#6f9a4d-#2c4a22")
            let sample = try desktop.start(.sample, with: ["SAMPLE_FILE": photo])
            _ = try await desktop.find("DesktopKit", role: "label", in: .sample)
            try await desktop.moveWindow("DesktopKit", x: 0, y: 0)
            let running = try desktop.start(app, with: ["ADW_DEBUG_COLOR_SCHEME": "prefer-dark"])
            _ = try await desktop.find("Drop Photos Here", role: "label", in: app)
            try await desktop.moveWindow("Photo Drop", x: 300, y: 300)
            try await desktop.drag(
                "DesktopKit", in: .sample, onto: "They are sent to your album, *", in: app,
                picture: "photo-drop-10-drag")
            _ = try await desktop.find("garden.jpg could not be sent", in: app)
            try await desktop.picture("photo-drop-11-refused")
            try await desktop.click("Retry*", role: "push button", in: app)
            _ = try await desktop.find("garden.jpg is in the album", role: "label", in: app)
            #expect(server.requests.map(\.status) == [403, 201])
            server.setRoute("/album", .status(503).with { $0.headers = [HeaderField("Retry-After", "3600")] })
            var names: [String] = []
            for (name, sky, sea) in [
                ("dawn.jpg", "#f9d5a7-#e88d72", "#c96f6f-#46304f"), ("dunes.jpg", "#9ec9e8-#f4e6c8", "#e3b778-#9c6a36"),
                ("night.jpg", "#0d1530-#3c4a78", "#25335c-#070b18"),
            ] {
                names.append(try await desktop.makePhoto(name, sky: sky, sea: sea))
            }
            // A second start passes the files to the running app.
            try await desktop.run(app.path, names[0], names[1], names[2])
            _ = try await desktop.find("You can close this window", in: app)
            _ = try await desktop.find("The server is busy. It continues automatically.", in: app)
            try await desktop.resizeWindow("Photo Drop", width: 360, height: 560)
            try await desktop.picture("photo-drop-12-goes-on-narrow")
            server.setRoute("/album", .status(201))
            try await desktop.press("ctrl+l")
            try await desktop.waitUntilGone("garden.jpg", role: "list item", in: app)
            try await desktop.click("night.jpg", role: "label", in: app)
            try await desktop.press("Delete")
            try await desktop.click("Keep", in: app)
            try await desktop.waitUntilGone("Keep", in: app)
            _ = try await desktop.find("Cancel night.jpg", in: app)
            try await desktop.press("Delete")
            try await desktop.picture("photo-drop-13-question")
            try await desktop.click("Cancel Upload", in: app)
            try await desktop.click("Remove night.jpg", in: app)
            try await desktop.waitUntilGone("night.jpg", role: "list item", in: app)
            #expect(sample.isRunning && running.isRunning)
        }

        private func percent(_ text: String) -> Int {
            Int(text.prefix { $0 != "%" }.suffix(2)) ?? -1
        }

        private func begin() async throws -> (Desktop, NastyServer) {
            try await app.build()
            let desktop = try await Desktop()
            try await desktop.install(app)
            let reply = Reply.status(201, body: "thanks").held(by: answer).with {
                $0.intake = .stall(after: 64 << 20, body)
            }
            let server = try NastyServer(routes: ["/album": Route(reply)])
            try desktop.setAlbum(server.url("/album"))
            return (desktop, server)
        }

        /// Large enough for visible progress. Bytes in the sockets that the server has not read count as sent: the
        /// window shows 40 to 70 %.
        private func sunset(_ desktop: Desktop) async throws -> String {
            try await desktop.makePhoto("sunset.jpg", sky: "#33507e-#f2a65a", sea: "#d9793f-#1d2f45", length: 160 << 20)
        }
    }
}
