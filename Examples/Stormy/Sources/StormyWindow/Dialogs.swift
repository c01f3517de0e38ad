import DesktopKit

/// What is asked in windows of their own.
enum Dialogs {
    /// Lets a person choose photos; none when the person thinks better of it.
    static func choosePhotos(over window: Widget) async -> [String] {
        await withCheckedContinuation { continuation in
            Files.choose(
                tr("Send Photos"), kind: (name: tr("Photos"), type: "image/*"), over: window,
                then: { continuation.resume(returning: $0) }, otherwise: { continuation.resume(returning: []) })
        }
    }

    /// Asks where the weather and the album are; `body` is called when they were said.
    static func askForAddresses(over window: Widget, then body: @escaping () -> Void) {
        AddressDialog.ask(
            tr("Addresses"),
            tr("The weather is a line such as “Thunderstorm +17°C”. Photos are put into the album, one by one."),
            [(tr("Weather"), Settings.weather), (tr("Album"), Settings.album)], over: window
        ) { addresses in
            Settings.set(weather: addresses[0], album: addresses[1])
            body()
        }
    }
}
