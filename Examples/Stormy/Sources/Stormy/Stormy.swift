import Glibc
import Longhaul
import StormWatch

// Stormy WEATHER-URL ALBUM-URL PHOTO ANSWERS
//
// Schedules a start at every noon, and exits. At noon, it requests the weather and appends the report to the file ANSWERS. If it
// is stormy, a notification asks for a photo. A click on the notification uploads PHOTO to the album.

@main struct Stormy {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count == 4 else {
            print("usage: Stormy WEATHER-URL ALBUM-URL PHOTO ANSWERS")
            exit(64)
        }
        do throws(TransferFailure) {
            let places = StormWatch.Places(weather: arguments[0], album: arguments[1], log: arguments[3])
            let watch = try await StormWatch(
                places, wake: .thisProgram(arguments[0], arguments[1], arguments[2], arguments[3]))
            try await watch.schedule()
            if WakeRequest.current != nil {
                try await watch.runDue { [arguments[2]] }
            } else {
                print("Stormy looks at the sky each noon.")
            }
        } catch {
            print(error.message)
            exit(1)
        }
    }
}
