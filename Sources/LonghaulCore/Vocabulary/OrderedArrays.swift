extension Array {
    /// Returns the index of the first element of the second part, in an array that is already partitioned; the end if there is
    /// none. Needs about as many calls as a binary search.
    package func partitioningIndex(where belongsToSecondPart: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if belongsToSecondPart(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Returns the elements in ascending order. The sort is stable, which `sort` does not guarantee.
    package func inOrder(of key: (Element) -> some Comparable) -> [Element] {
        enumerated().sorted { left, right in
            let (a, b) = (key(left.element), key(right.element))
            return a == b ? left.offset < right.offset : a < b
        }.map(\.element)
    }
}
