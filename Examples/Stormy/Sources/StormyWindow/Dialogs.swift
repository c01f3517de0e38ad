import DesktopKit

/// The dialogs of the app.
enum Dialogs {
    /// Lets the user choose photos. Returns an empty list if the user cancels.
    static func choosePhotos(over window: Widget) async -> [String] {
        await withCheckedContinuation { continuation in
            Files.choose(
                tr("Send Photos"), kind: (name: tr("Photos"), type: "image/*"), over: window,
                then: { continuation.resume(returning: $0) }, otherwise: { continuation.resume(returning: []) })
        }
    }

    /// Asks the user for the addresses of the weather server and the album. Calls `body` when they are saved.
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
