import LonghaulCore
import Testing

@Suite struct NotificationTextTests {
    private func fill(_ text: String, name: String = "film.mp4") throws -> String {
        try NotificationTemplate(parsing: text).filled { placeholder in
            placeholder == .name ? name : "<\(placeholder.rawValue)>"
        }
    }

    @Test func everyPlaceholderIsFilledIn() throws {
        for placeholder in NotificationTemplate.Placeholder.allCases where placeholder != .name {
            #expect(try fill("a {\(placeholder.rawValue)} b") == "a <\(placeholder.rawValue)> b")
        }
        #expect(try fill("{name}{name}") == "film.mp4film.mp4")
        #expect(try fill("") == "" && fill("plain") == "plain")
    }

    @Test func aBraceIsWrittenTwice() throws {
        #expect(try fill("{{name}} }}{{ {name}") == "{name} }{ film.mp4")
    }

    @Test func aFileNameDoesNotShapeTheText() throws {
        #expect(try fill("{name}", name: "a\nb\u{1B}[2J\tc{count}") == "a b [2J c{count}")
    }

    @Test(arguments: ["{nmae}", "{}", "{ name}", "{Name}"])
    func unknownPlaceholderErrorListsKnownOnes(_ text: String) {
        let error = #expect(throws: TransferFailure.self) { try fill(text) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains("Known are {name}, {count}, {done}") == true)
    }

    @Test(arguments: ["{name", "name}", "{", "a } b", "{{name}"])
    func aBraceWithoutItsPartnerIsRefused(_ text: String) {
        let error = #expect(throws: TransferFailure.self) { try fill(text) }
        #expect(error?.message.contains("unmatched brace") == true)
    }

    @Test func settingsAreCheckedBeforeTheyAreKept() {
        #expect(NotificationSettings(appName: "Photos").refusal == nil)
        #expect(NotificationSettings(appName: "").refusal?.message.contains("the app's name") == true)
        let entry = NotificationSettings(appName: "Photos", desktopEntry: "org.example.Photos.desktop")
        #expect(entry.refusal?.message.contains("without .desktop") == true)
        var settings = NotificationSettings(appName: "Photos")
        settings.wordings[.failed] = NotificationWording(
            one: NotificationText("{name} ist weg"), several: NotificationText("{anzahl} sind weg"))
        #expect(settings.refusal?.message.contains("{anzahl}") == true)
        settings.wordings = [:]
        settings.labels[.pause] = ""
        #expect(settings.refusal?.message.contains("label") == true)
        #expect(PlainNotification("", title: "a").refusal != nil)
        #expect(PlainNotification("a", title: "").refusal != nil)
        #expect(PlainNotification("a", title: "b").refusal == nil)
    }

    @Test func theStandardWordsAreRight() {
        for kind in NotificationKind.allCases {
            var settings = NotificationSettings(appName: "Photos")
            settings.wordings[kind] = .standard(kind)
            #expect(settings.refusal == nil, "\(kind)")
        }
    }

    private func form(_ body: String, _ capabilities: Set<String>) -> NotificationForm {
        let content = NotificationContent(
            PlainNotification("storm", title: "Storm & rain", body: body), NotificationSettings(appName: "Weather"))
        return NotificationForm(content, capabilities: capabilities, isUpdate: false)
    }

    @Test func markupIsEscapedOnlyWhereItIsUnderstood() {
        let text = "<b>a & b</b> \"c\" 'd'"
        #expect(form(text, ["body", "body-markup"]).body == "&lt;b&gt;a &amp; b&lt;/b&gt; &quot;c&quot; &#39;d&#39;")
        #expect(form(text, ["body"]).body == text)
        #expect(form(text, ["body", "body-markup"]).summary == "Storm & rain", "a summary has no markup")
        let bare = form("soon", [])
        #expect(bare.summary == "Storm & rain: soon" && bare.body == "")
    }

    @Test func everyNotificationCanBeClickedAndButtonsComeOnlyWhereTheyAreShown() {
        var tally = NotificationTally()
        tally.underWay = 1
        var settings = NotificationSettings(appName: "Photos")
        settings.labels = [.pause: "Anhalten", .open: "Zeigen"]
        let content = NotificationContent(
            NotificationHeadline(kind: .progress, count: 1), .progress, tally, settings, .init(millionths: 500_000))
        let full = NotificationForm(content, capabilities: ["body", "actions"], isUpdate: true)
        #expect(full.actions == ["default", "Zeigen", "pause", "Anhalten", "cancel", "Cancel Transfer"])
        #expect(full.isSilent && full.timeout == 0 && full.urgency == 0)
        let bare = NotificationForm(content, capabilities: [], isUpdate: false)
        #expect(bare.actions == ["default", "Zeigen"] && !bare.isSilent)
    }

    @Test(arguments: [
        (TransferSnapshot.Direction.download, 1, "Cancel Download"), (.upload, 1, "Cancel Upload"),
        (.request, 1, "Cancel Request"), (.upload, 2, "Cancel Transfers"),
    ]) func cancelButtonNamesTheTransfer(direction: TransferSnapshot.Direction, count: Int, label: String) {
        var tally = NotificationTally()
        tally.underWay = count
        tally.subjects.moving = NotificationSubject(
            transfer: TransferID(high: 1, low: 1), name: "sunset.jpg", host: "a.test", reason: "", direction: direction)
        let settings = NotificationSettings(appName: "Photos")
        let content = NotificationContent(
            NotificationHeadline(kind: .handedOver, count: count), .handedOver, tally, settings, .init(millionths: 0))
        #expect(content.labels[.cancel] == label)
        let question = NotificationContent(confirming: .cancel, of: tally.subjects.moving, count: count, settings)
        #expect(question.title == label + "?" && question.actions == [.open, .cancel])
        #expect(question.body == (count == 1 ? "sunset.jpg" : "2 transfers") + ": the progress is lost.")
    }

    @Test func notificationWithoutAppOffersNoOpen() {
        var settings = NotificationSettings(appName: "Longhaul")
        settings.opensApp = false
        var tally = NotificationTally()
        tally.failed = 1
        for (kind, keys) in [(NotificationKind.finished, []), (.failed, ["retry"]), (.needsYou, ["retry", "cancel"])] {
            let content = NotificationContent(
                NotificationHeadline(kind: kind, count: 1), kind, tally, settings, .init(millionths: 0))
            let form = NotificationForm(content, capabilities: ["actions"], isUpdate: false)
            #expect(form.actions.enumerated().filter { $0.offset % 2 == 0 }.map(\.element) == keys, "\(kind)")
            #expect(NotificationForm(content, capabilities: [], isUpdate: false).actions.isEmpty)
        }
    }

    @Test func percentCountsTransfersAndTheBytesOfThoseUnderWay() {
        var tally = NotificationTally()
        tally.underWay = 2
        tally.resting = 1
        tally.finished = 1
        let content = NotificationContent(
            NotificationHeadline(kind: .progress, count: 2), .progress, tally, NotificationSettings(appName: "Photos"),
            .init(millionths: 1_500_000))
        #expect(content.title == "2 transfers active" && content.body == "62% · 1 of 4 done")
    }
}
