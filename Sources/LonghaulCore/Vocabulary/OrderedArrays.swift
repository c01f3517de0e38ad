extension Array {
    /// The index of the first element that belongs to the second part, in an array that is already in two parts; the end when there is none.
    /// It asks about as few elements as a search by halves does.
    package func partitioningIndex(where belongsToSecondPart: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if belongsToSecondPart(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// The smallest first; equal ones stay in their order, which a sort alone does not promise.
    package func inOrder(of key: (Element) -> some Comparable) -> [Element] {
        enumerated().sorted { left, right in
            let (a, b) = (key(left.element), key(right.element))
            return a == b ? left.offset < right.offset : a < b
        }.map(\.element)
    }
}
