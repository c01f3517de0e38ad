# Takes the documents' pictures of the running apps. Sourced by scripts/demo-desktop.

# GNOME's background grey, on which a shadow is visible.
grey='#c0bfbc'

take_pictures() {
    mkdir -p "$pictures"
    pictures=$(cd "$pictures" && pwd)
    scene picture_one_download
    scene picture_photo_drop
    scene picture_screencasts
    scene picture_stormy
}

# Starts a desktop for one picture.
scene() { (
    children=()
    thinks=20
    start_desktop
    in_place gdbus wait --session --activate org.a11y.Bus --timeout 60 org.a11y.Bus
    "$1"
) }

# Waits for or presses a widget, by the app's accessibility tree.
accessible() { in_place /usr/bin/python3 Tests/DesktopTests/Support/accessible.py "$@" >>"$place/log"; }
keys() { in_place xdotool key --clearmodifiers "$@"; }

window() { in_place xdotool search --sync --onlyvisible --name "^$1\$" 2>>"$place/log" | head -n 1; }

# Prints the position and size of the first window that a search finds, including its shadow. Repeats the search until two
# results are equal, because windows move while they open.
place_of() {
    local last='' now=none
    while [ "$now" != "$last" ]; do
        last=$now
        sleep 0.7
        now=$(in_place xdotool search --sync --onlyvisible "$@" getwindowgeometry --shell 2>>"$place/log" |
            awk -F = '{ v[$1] = $2 } END { print v["WIDTH"] "x" v["HEIGHT"] "+" v["X"] "+" v["Y"] }') || now=
        [ -n "$now" ] || last=none
    done
    printf '%s' "$now"
}

# Moves a window so that its whole shadow is on the screen, and optionally resizes it.
arrange() {
    place_of --name "^$1\$" >>"$place/log"
    local id
    id=$(window "$1")
    [ $# = 1 ] || in_place xdotool windowsize "$id" $((($2 + shadow) * 2)) $((($3 + shadow) * 2))
    in_place xdotool windowmove "$id" 100 60 mousemove 2390 1790
    place_of --name "^$1\$" >>"$place/log"
}

# The width and height that GTK's shadow adds to a window.
shadow=122

shoot() { in_place import -window root -crop "$2" +repage "png24:$place/$1.png"; }
shoot_window() { shoot "$1" "$(place_of --name "^$2\$")"; }
shoot_notification() {
    local where
    where=$(place_of --class notifyd)
    # The notification fades in.
    sleep 2
    shoot "$1" "$where"
    convert "$place/$1.png" -bordercolor "$grey" -border 40 "png24:$place/$1.png"
}

# Reduces the file's size without changing a pixel.
keep() {
    optipng -quiet -o3 -strip all "$place/$1.png"
    mv "$place/$1.png" "$pictures/$1.png"
    say "picture: $pictures/$1.png"
}

picture_one_download() {
    world+=("ADDRESS=$server/video/2.mp4")
    start "$examples/OneDownload"
    arrange "One Download"
    accessible find OneDownload "[34]?% of *"
    shoot_window desktopkit "One Download"
    keep desktopkit
}

picture_photo_drop() {
    make_photo sunset '#33507e-#f2a65a' '#d9793f-#1d2f45' 40M
    start "$examples/PhotoDrop" "$place/Pictures/sunset.jpg"
    arrange "Photo Drop" 360 500
    accessible find PhotoDrop "4?% of *"
    shoot_window 1 "Photo Drop"
    in_place wmctrl -F -c "Photo Drop"
    shoot_notification 2
    start "$examples/PhotoDrop"
    arrange "Photo Drop" 360 500
    accessible find PhotoDrop "Sent, waiting for the server" label
    shoot_window 3 "Photo Drop"
    accessible find PhotoDrop "In the album"
    in_place wmctrl -F -c "Photo Drop"
    make_photos
    printf '[Server]\naddress=%s/busy\n' "$server" >"$place/config/photo-drop/settings.ini"
    sleep 2
    world+=(ADW_DEBUG_COLOR_SCHEME=prefer-dark)
    start "$examples/PhotoDrop" "$place"/Pictures/{dawn,dunes,night}.jpg
    arrange "Photo Drop" 360 500
    accessible find PhotoDrop "You can close this window"
    accessible find PhotoDrop "The server is busy. *"
    sleep 2
    shoot_window 4 "Photo Drop"
    convert "$place"/[1-4].png -background "$grey" -gravity center +append +repage "png24:$place/photo-drop.png"
    keep photo-drop
}

picture_screencasts() {
    local number
    start "$examples/Screencasts" "$place/feed.json"
    arrange Screencasts
    for number in 1 2 3 4; do accessible press Screencasts "Episodes>Download $number.*"; done
    accessible find Screencasts "Episodes>Play 1.*"
    sleep 3
    shoot_window screencasts-episodes Screencasts
    keep screencasts-episodes
    keys alt+2
    accessible press Screencasts "Downloads>Pause 3.*"
    # GTK shows the focus for a while after a key press.
    sleep 4
    shoot_window screencasts-queue Screencasts
    keep screencasts-queue
    rm "$place"/Videos/Screencasts/1.*.mp4
    keys F5
    accessible find Screencasts "The file of *"
    sleep 1
    shoot_window screencasts-files Screencasts
    keep screencasts-files
    in_place wmctrl -F -c Screencasts
    sleep 1
    world+=(ADW_DEBUG_COLOR_SCHEME=prefer-dark)
    sed 's#/video/6.mp4#/gone.mp4#' "$place/feed.json" >"$place/other.json"
    start "$examples/Screencasts" "$place/other.json"
    arrange Screencasts 380 640
    accessible press Screencasts "Episodes>Download 6.*"
    keys alt+2
    accessible find Screencasts "Downloads>Retry 6.*"
    sleep 2
    shoot_window screencasts-downloads Screencasts
    keep screencasts-downloads
}

# Writes the weather of the past days.
past_days() {
    local day=12 sky
    while read -r sky; do
        printf '%s %s°C\n' "$(date -d "12:00 $day days ago" +%s)" "$sky"
        day=$((day - 1))
    done <<DAYS
Sunny 17
Sunny 19
Cloudy 18
Thunderstorm 14
Rain 12
Cloudy 13
Sunny 15
Sunny 18
Cloudy 16
Thunderstorm 10
Fog 9
Drizzle 11
DAYS
}

picture_stormy() {
    mkdir -p "$place/data/stormy"
    past_days >"$place/data/stormy/answers"
    make_photo storm '#1b2444-#5b6b8f' '#3a4a5c-#10151f' 48M
    start "$examples/StormyWindow"
    arrange Stormy 460 770
    keys ctrl+r
    accessible find StormyWindow "Thunderstorm, 9 °C"
    shoot_notification stormy-notification
    keep stormy-notification
    keys ctrl+o
    accessible find StormyWindow "Send Photos"
    keys slash
    accessible find StormyWindow "*" text
    in_place xdotool type --delay 20 "${place#/}/Pictures/storm.jpg"
    keys Return
    accessible gone StormyWindow "Send Photos"
    accessible find StormyWindow "[3-6]?% of *"
    arrange Stormy 460 770
    shoot_window stormy Stormy
    keep stormy
}
