import LonghaulCore

/// The state of `top`: a value that never waits. It turns events into actions.
struct TopState: Equatable, Sendable {
    enum Event: Equatable, Sendable {
        case key(TopKey)
        case update(WatchUpdate)
        case page(ListPage)
        /// Transfers that ended before `top` started.
        case ended([TransferSnapshot])
        /// The session's own rate limit.
        case limit(Int64?)
        /// The result of an action.
        case said(String)
        /// - Parameter showsEnd: Whether the last lines are shown first.
        case panel(title: String, lines: [String], showsEnd: Bool = false)
        case lost(String)
        case found
        case resized(Console.Size)
        case tick
    }

    enum Action: Equatable, Sendable {
        /// The newest values of these, and of the session.
        case query([TransferID])
        case control(ControlVerb, TransferID, done: String)
        case adjust(TransferAdjustment, TransferID, done: String)
        case place(QueuePlace, TransferID)
        case limit(Int64)
        case forgetEnded
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
        /// The user types a line.
        case prompt(Prompt, text: String)
        /// The question before an action that loses bytes.
        case question(String, Action)
    }

    enum Prompt: Equatable, Sendable {
        case rate(TransferID, name: String)
        case wholeRate
        case search
    }

    let session: SessionID
    var book = TopTransfers()
    var size: Console.Size
    var mode = Mode.list
    /// The selected transfer.
    private(set) var selected: TransferID?
    private(set) var selectedIndex = 0
    /// The first visible line of the list.
    private(set) var first = 0
    private(set) var totals = SessionTotals()
    private(set) var rate: Int64 = 0
    private(set) var limit: Int64?
    /// The message at the bottom until the next key.
    private(set) var message: String?
    /// Why the screen is not updated.
    private(set) var trouble: String?
    /// Whether the selection stays on its transfer. Until the first key, it is at the top of the list.
    private var isSelectionHeld = false
    /// Whether an answer is pending.
    private var isAsking = false
    private var asked: [TransferID] = []

    init(session: SessionID, size: Console.Size) {
        self.session = session
        self.size = size
    }

    /// The number of visible rows: three lines are above them and two below.
    var room: Int { max(1, size.rows - 5) }

    /// The transfers on the screen.
    var visible: [TransferID] {
        mutating get {
            keepSelection()
            return Array(book.order.dropFirst(first).prefix(room))
        }
    }

    var selectedTransfer: TransferSnapshot? { selected.flatMap { book.transfers[$0] } }

    mutating func handle(_ event: Event, now: WallTime) -> [Action] {
        switch event {
        case .key(let key):
            message = nil
            isSelectionHeld = true
            let actions = press(key)
            // Requests transfers at once that scroll into view.
            return actions + (Set(changing).isSubset(of: asked) ? [] : query())
        case .update(let update):
            book.apply(update, now: now)
            // The first list is shown with its figures.
            return update.completesList ? query() : []
        case .page(let page):
            isAsking = false
            book.refresh(page.transfers, of: asked)
            totals = page.totals
            rate = page.rate
            trouble = nil
            return []
        case .ended(let transfers):
            book.add(ended: transfers)
            return []
        case .limit(let limit):
            self.limit = limit
            return []
        case .said(let sentence):
            message = sentence
            return query()
        case .panel(let title, let lines, let showsEnd):
            let first = showsEnd ? TopView.wrapped(lines, size.columns).count - TopView.panelRoom(size) : 0
            mode = .panel(title: title, lines: lines, first: max(0, first))
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
            return [.redraw] + query()
        case .tick: return query()
        }
    }

    mutating func say(_ sentence: String) { message = sentence }

    private mutating func query() -> [Action] {
        guard !isAsking else { return [] }
        isAsking = true
        asked = changing
        return [.query(asked)]
    }

    /// The transfers on the screen that have not ended.
    private var changing: [TransferID] {
        mutating get { visible.filter { book.transfers[$0]?.state.isEnded == false } }
    }

    /// Keeps the selection on its transfer, and its line in view.
    private mutating func keepSelection() {
        let order = book.order
        if isSelectionHeld, let selected, let index = order.firstIndex(of: selected) {
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
        keepSelection()
    }
}
