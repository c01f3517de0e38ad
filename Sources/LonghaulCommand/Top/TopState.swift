import LonghaulCore

/// What `top` shows and what its keys mean: a value that never waits. Events go in, and come back as things to be done.
struct TopState: Equatable, Sendable {
    enum Event: Equatable, Sendable {
        case key(TopKey)
        case update(WatchUpdate)
        case page(ListPage)
        /// The session's own rate limit.
        case limit(Int64?)
        /// What was asked for was done, or could not be.
        case said(String)
        case panel(title: String, lines: [String])
        case lost(String)
        case found
        case resized(Console.Size)
        case tick
    }

    enum Action: Equatable, Sendable {
        /// The newest values of these, and of the session.
        case ask([TransferID])
        case control(ControlVerb, TransferID, done: String)
        case adjust(TransferAdjustment, TransferID, done: String)
        case place(QueuePlace, TransferID)
        case limit(Int64)
        case reason(TransferID)
        case history(TransferID)
        case suspend
        case redraw
        case leave
    }

    enum Mode: Equatable, Sendable {
        case list
        case help
        /// Text about the selected transfer, from one of its lines on.
        case panel(title: String, lines: [String], first: Int)
        /// A line is typed.
        case prompt(Prompt, text: String)
        /// Something that loses bytes is asked about.
        case question(String, Action)
    }

    enum Prompt: Equatable, Sendable {
        case rate(TransferID, name: String)
        case wholeRate
        case search
    }

    let session: SessionID
    var book = TopBook()
    var size: Console.Size
    var mode = Mode.list
    /// The selected transfer; where it stood when it is gone.
    private(set) var selected: TransferID?
    private(set) var selectedIndex = 0
    /// The first line of the list that is seen.
    private(set) var first = 0
    private(set) var totals = SessionTotals()
    private(set) var rate: Int64 = 0
    private(set) var limit: Int64?
    /// What is said at the bottom until the next key.
    private(set) var message: String?
    /// Why there is nothing new.
    private(set) var trouble: String?
    /// Whether an answer is on its way.
    private var isAsking = false
    private var asked: [TransferID] = []

    init(session: SessionID, size: Console.Size) {
        self.session = session
        self.size = size
    }

    /// How many transfers there is room for: beside them are three lines above and two below.
    var room: Int { max(1, size.rows - 5) }

    /// The transfers on the screen.
    var visible: [TransferID] {
        mutating get {
            settle()
            return Array(book.order.dropFirst(first).prefix(room))
        }
    }

    var selectedTransfer: TransferSnapshot? { selected.flatMap { book.transfers[$0] } }

    mutating func handle(_ event: Event, now: WallTime) -> [Action] {
        switch event {
        case .key(let key):
            message = nil
            let actions = press(key)
            // What has come into view is asked for at once.
            return actions + (Set(visible).isSubset(of: asked) ? [] : ask())
        case .update(let update):
            book.apply(update, now: now)
            // The first list is shown with its figures.
            return update.completesList ? ask() : []
        case .page(let page):
            isAsking = false
            book.refresh(page.transfers, of: asked)
            totals = page.totals
            rate = page.rate
            trouble = nil
            return []
        case .limit(let limit):
            self.limit = limit
            return []
        case .said(let sentence):
            message = sentence
            return ask()
        case .panel(let title, let lines):
            mode = .panel(title: title, lines: lines, first: 0)
            return []
        case .lost(let sentence):
            trouble = sentence
            isAsking = false
            return []
        case .found:
            trouble = nil
            return []
        case .resized(let size):
            self.size = size
            return [.redraw] + ask()
        case .tick: return ask()
        }
    }

    mutating func say(_ sentence: String) { message = sentence }

    private mutating func ask() -> [Action] {
        guard !isAsking else { return [] }
        isAsking = true
        asked = visible
        return [.ask(asked)]
    }

    /// Keeps the selection on its transfer, and its line in view.
    private mutating func settle() {
        let order = book.order
        if let selected, let index = order.firstIndex(of: selected) {
            selectedIndex = index
        } else {
            selectedIndex = max(0, min(selectedIndex, order.count - 1))
            selected = order.isEmpty ? nil : order[selectedIndex]
        }
        first = min(first, selectedIndex, max(0, order.count - room))
        first = max(first, selectedIndex - room + 1, 0)
    }

    mutating func select(_ index: Int) {
        let order = book.order
        selectedIndex = max(0, min(index, order.count - 1))
        selected = order.isEmpty ? nil : order[selectedIndex]
        settle()
    }
}
