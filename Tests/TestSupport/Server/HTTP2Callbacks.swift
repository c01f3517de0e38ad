import CNGHTTP2
import Glibc
import LonghaulCore

/// The interface to nghttp2: its callbacks, and the frames to send.
enum HTTP2Callbacks {
    enum Kind {
        case interim
        case answer
        case answerWithoutBody
    }

    static func makeSession(for owner: UnsafeMutableRawPointer) -> OpaquePointer? {
        var (callbacks, options, session): (OpaquePointer?, OpaquePointer?, OpaquePointer?)
        nghttp2_session_callbacks_new(&callbacks)
        nghttp2_option_new(&options)
        // A window opens only after a test's script has read the bytes.
        nghttp2_option_set_no_auto_window_update(options, 1)
        // Headers may be as long as a test requires.
        nghttp2_option_set_max_send_header_block_length(options, 1 << 20)
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, user in
            HTTP2Callbacks.connection(user).heads[frame!.pointee.hd.stream_id] = []
            return 0
        }
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, frame, name, nameCount, value, count, _, user in
            let field = HeaderField(HTTP2Callbacks.text(name, nameCount), HTTP2Callbacks.text(value, count))
            HTTP2Callbacks.connection(user).heads[frame!.pointee.hd.stream_id]?.append(field)
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, user in
            let header = frame!.pointee.hd
            let isOver = header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
            if UInt32(header.type) == NGHTTP2_HEADERS.rawValue {
                HTTP2Callbacks.connection(user).begin(header.stream_id, isOver: isOver)
            }
            if UInt32(header.type) == NGHTTP2_DATA.rawValue, isOver {
                HTTP2Callbacks.connection(user).endInbound(of: header.stream_id)
            }
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, user in
            let header = frame!.pointee.hd
            let isAnswer = [NGHTTP2_HEADERS.rawValue, NGHTTP2_DATA.rawValue].contains(UInt32(header.type))
            if isAnswer, header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 {
                HTTP2Callbacks.connection(user).endOutbound(of: header.stream_id)
            }
            return 0
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, id, bytes, count, user in
            HTTP2Callbacks.connection(user).receive(UnsafeRawBufferPointer(start: bytes, count: count), of: id)
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, id, _, user in
            HTTP2Callbacks.connection(user).forget(id)
            return 0
        }
        nghttp2_session_server_new2(&session, callbacks, owner, options)
        nghttp2_session_callbacks_del(callbacks)
        nghttp2_option_del(options)
        return session
    }

    static func submit(_ session: OpaquePointer?, _ id: Int32, _ fields: [HeaderField], as kind: Kind) {
        let texts = fields.map { (Array($0.name.lowercased().utf8), Array($0.value.utf8)) }
        let total = texts.reduce(0) { $0 + $1.0.count + $1.1.count }
        // nghttp2 copies everything before it returns.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: max(total, 1)) { memory in
            var next = memory.baseAddress!
            func place(_ bytes: [UInt8]) -> UnsafeMutablePointer<UInt8> {
                defer { next += bytes.count }
                next.update(from: bytes, count: bytes.count)
                return next
            }
            let pairs = texts.map { name, value in
                nghttp2_nv(
                    name: place(name), value: place(value), namelen: name.count, valuelen: value.count,
                    flags: UInt8(NGHTTP2_NV_FLAG_NONE.rawValue))
            }
            submit(session, id, pairs, as: kind)
        }
    }

    private static func submit(_ session: OpaquePointer?, _ id: Int32, _ pairs: [nghttp2_nv], as kind: Kind) {
        switch kind {
        case .interim:
            nghttp2_submit_headers(
                session, UInt8(NGHTTP2_FLAG_NONE.rawValue), id, nil, pairs, pairs.count, nil)
        case .answerWithoutBody: nghttp2_submit_response(session, id, pairs, pairs.count, nil)
        case .answer:
            var provider = nghttp2_data_provider()
            provider.read_callback = { _, id, buffer, room, flags, _, user in
                guard let stream = HTTP2Callbacks.connection(user).streams[id] else {
                    return ssize_t(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
                }
                return HTTP2Callbacks.give(stream, UnsafeMutableRawBufferPointer(start: buffer, count: room), flags!)
            }
            nghttp2_submit_response(session, id, pairs, pairs.count, &provider)
        }
    }

    private static func give(
        _ stream: HTTP2Stream, _ room: UnsafeMutableRawBufferPointer, _ flags: UnsafeMutablePointer<UInt32>
    ) -> ssize_t {
        stream.state.update { state in
            let count = min(room.count, state.outbound.count)
            if count > 0 {
                room.copyBytes(from: state.outbound[..<count])
                state.outbound.removeFirst(count)
            }
            if state.outbound.isEmpty, state.isOutboundOver {
                flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
                return count
            }
            return count > 0 ? count : ssize_t(NGHTTP2_ERR_DEFERRED.rawValue)
        }
    }

    private static func connection(_ user: UnsafeMutableRawPointer?) -> HTTP2Connection {
        Unmanaged.fromOpaque(user!).takeUnretainedValue()
    }

    private static func text(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> String {
        String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }
}
