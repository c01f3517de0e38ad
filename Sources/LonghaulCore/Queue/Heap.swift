/// A binary heap: the smallest element is always first.
struct Heap<Element: Comparable & Sendable>: Sendable {
    private var elements: [Element] = []

    init() {}

    /// A sorted array is a heap.
    init(_ elements: some Sequence<Element>) {
        self.elements = elements.sorted()
    }

    var isEmpty: Bool { elements.isEmpty }
    var count: Int { elements.count }
    var first: Element? { elements.first }

    mutating func insert(_ element: Element) {
        elements.append(element)
        var child = elements.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard elements[child] < elements[parent] else { return }
            elements.swapAt(child, parent)
            child = parent
        }
    }

    mutating func popFirst() -> Element? {
        guard let first = elements.first else { return nil }
        let last = elements.removeLast()
        if !elements.isEmpty {
            elements[0] = last
            sink()
        }
        return first
    }

    mutating func removeAll() -> [Element] {
        let all = elements
        elements = []
        return all
    }

    private mutating func sink() {
        var parent = 0
        while true {
            var smallest = parent
            let left = 2 * parent + 1
            if left < elements.count, elements[left] < elements[smallest] { smallest = left }
            if left + 1 < elements.count, elements[left + 1] < elements[smallest] { smallest = left + 1 }
            guard smallest != parent else { return }
            elements.swapAt(smallest, parent)
            parent = smallest
        }
    }
}
