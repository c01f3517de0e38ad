#!/usr/bin/python3
"""An in-memory file system whose directories refuse operations according to their names.

    refusing-fs.py MOUNTPOINT

A directory of the root has its rules in its name, separated by commas. The rules apply to everything in the directory:

    chmod=EPERM utime= fsync= fsyncdir= link= rename=   the operation fails with that error
    rename=noreplace   as sshfs without posix-rename: flags and existing targets are refused
    maxname=143        longer names fail with ENAMETOOLONG (eCryptfs)
    maxsize=BYTES      longer files fail with EFBIG
    room=BYTES         a write beyond this total size of the directory's files fails with ENOSPC
    owner=UID          every file belongs to that user, as on a disk without users
    rules=vfat         names, sizes, links, owner, and permissions as in Linux's FAT

Prints "mounted" when the file system is mounted. After ENOSYS, the kernel does not try the operation again on the same mount.
"""

import errno
import os
import stat
import sys
import time

import pyfuse3
import trio

BLOCK = 4096


class Node:
    def __init__(self, number, mode, rules, parent=None):
        self.number, self.mode, self.rules, self.parent = number, mode, rules, parent
        self.links = 1
        self.size = 0
        self.data = bytearray()
        self.changed = time.time_ns()
        self.children = {}

    @property
    def is_directory(self):
        return stat.S_ISDIR(self.mode)


def rules_of(name):
    rules = dict(rule.split("=", 1) for rule in name.split(",") if "=" in rule)
    if rules.get("rules") == "vfat":
        # fs/fat: fat_allow_set_mode, vfat_bad_char, FAT_MAX_... (4 GiB - 1), no links
        rules = {"names": "vfat", "maxsize": str((1 << 32) - 1), "chmod": "EPERM", "link": "EPERM", "owner": "4242", **rules}
    return rules


class RefusingFileSystem(pyfuse3.Operations):
    supports_dot_lookup = False

    def __init__(self):
        super().__init__()
        self.nodes = {pyfuse3.ROOT_INODE: Node(pyfuse3.ROOT_INODE, stat.S_IFDIR | 0o777, {})}
        self.last = pyfuse3.ROOT_INODE

    # The rules.

    def refuse(self, operation, rules):
        code = rules.get(operation, "")
        if code.startswith("E"):
            raise pyfuse3.FUSEError(getattr(errno, code))

    def key(self, parent, name):
        """Under what a name is found."""
        return name.decode("utf-8", "surrogateescape").lower().encode("utf-8", "surrogateescape") \
            if parent.rules.get("names") == "vfat" else name

    def check_name(self, parent, name):
        self.check_length(parent, name)
        if parent.rules.get("names") == "vfat":
            text = name.decode("utf-8", "replace")
            if any(ord(c) < 32 or c in '"*:<>?|\\' for c in text) or text.strip(" .") == "":
                raise pyfuse3.FUSEError(errno.EINVAL)

    def check_length(self, parent, name):
        if len(name) > int(parent.rules.get("maxname", "255")):
            raise pyfuse3.FUSEError(errno.ENAMETOOLONG)

    def check_size(self, node, size):
        if size > int(node.rules.get("maxsize", str(1 << 62))):
            raise pyfuse3.FUSEError(errno.EFBIG)

    # The tree.

    def child(self, parent, name):
        node = self.nodes[parent].children.get(self.key(self.nodes[parent], name))
        if node is None:
            raise pyfuse3.FUSEError(errno.ENOENT)
        return node[1]

    def put(self, parent, name, node):
        parent.children[self.key(parent, name)] = (name, node)

    def make(self, parent_number, name, mode):
        parent = self.nodes[parent_number]
        self.check_name(parent, name)
        if self.key(parent, name) in parent.children:
            raise pyfuse3.FUSEError(errno.EEXIST)
        self.last += 1
        rules = rules_of(name.decode()) if parent_number == pyfuse3.ROOT_INODE else parent.rules
        node = Node(self.last, mode, rules, parent)
        self.nodes[self.last] = node
        self.put(parent, name, node)
        return node

    def attributes(self, node):
        entry = pyfuse3.EntryAttributes()
        entry.st_ino, entry.st_mode, entry.st_nlink, entry.st_size = node.number, node.mode, node.links, node.size
        entry.st_uid = int(node.rules.get("owner", os.getuid()))
        entry.st_gid = os.getgid()
        entry.st_blksize, entry.st_blocks = BLOCK, -(-len(node.data) // 512)
        entry.st_atime_ns = entry.st_mtime_ns = entry.st_ctime_ns = node.changed
        entry.entry_timeout = entry.attr_timeout = 0
        return entry

    async def lookup(self, parent, name, ctx=None):
        if name == b".":
            return self.attributes(self.nodes[parent])
        if name == b"..":
            return self.attributes(self.nodes[parent].parent or self.nodes[parent])
        self.check_length(self.nodes[parent], name)
        return self.attributes(self.child(parent, name))

    async def getattr(self, number, ctx=None):
        return self.attributes(self.nodes[number])

    async def mkdir(self, parent, name, mode, ctx):
        return self.attributes(self.make(parent, name, stat.S_IFDIR | stat.S_IMODE(mode)))

    async def create(self, parent, name, mode, flags, ctx):
        node = self.make(parent, name, stat.S_IFREG | stat.S_IMODE(mode))
        return pyfuse3.FileInfo(fh=node.number), self.attributes(node)

    async def open(self, number, flags, ctx):
        return pyfuse3.FileInfo(fh=number)

    async def opendir(self, number, ctx):
        return number

    async def readdir(self, handle, start, token):
        for position, (name, node) in enumerate(list(self.nodes[handle].children.values())):
            if position >= start and not pyfuse3.readdir_reply(token, name, self.attributes(node), position + 1):
                break

    async def unlink(self, parent, name, ctx):
        node = self.child(parent, name)
        if node.is_directory:
            raise pyfuse3.FUSEError(errno.EISDIR)
        del self.nodes[parent].children[self.key(self.nodes[parent], name)]
        node.links -= 1

    async def rmdir(self, parent, name, ctx):
        if self.child(parent, name).children:
            raise pyfuse3.FUSEError(errno.ENOTEMPTY)
        del self.nodes[parent].children[self.key(self.nodes[parent], name)]

    async def link(self, number, parent, name, ctx):
        directory, node = self.nodes[parent], self.nodes[number]
        self.refuse("link", directory.rules)
        self.check_name(directory, name)
        if self.key(directory, name) in directory.children:
            raise pyfuse3.FUSEError(errno.EEXIST)
        node.links += 1
        self.put(directory, name, node)
        return self.attributes(node)

    async def rename(self, old_parent, old, new_parent, new, flags, ctx):
        source, target = self.nodes[old_parent], self.nodes[new_parent]
        for rules in (source.rules, target.rules):
            self.refuse("rename", rules)
        node = self.child(old_parent, old)
        self.check_name(target, new)
        taken = target.children.get(self.key(target, new))
        replaces_nothing = target.rules.get("rename") == "noreplace"
        if replaces_nothing and flags:
            raise pyfuse3.FUSEError(errno.EINVAL)
        if taken and (replaces_nothing or flags & pyfuse3.RENAME_NOREPLACE):
            raise pyfuse3.FUSEError(errno.EEXIST)
        if taken and taken[1] is node:
            return
        if taken:
            taken[1].links -= 1
        del source.children[self.key(source, old)]
        self.put(target, new, node)
        node.parent = target

    async def setattr(self, number, attributes, fields, handle, ctx):
        node = self.nodes[number]
        if fields.update_size:
            self.check_size(node, attributes.st_size)
            node.size = attributes.st_size
            del node.data[node.size:]
            node.changed = time.time_ns()
        elif fields.update_mtime or fields.update_atime:
            self.refuse("utime", node.rules)
            if fields.update_mtime:
                node.changed = attributes.st_mtime_ns
        if fields.update_mode:
            self.refuse("chmod", node.rules)
            node.mode = stat.S_IFMT(node.mode) | stat.S_IMODE(attributes.st_mode)
        if fields.update_uid or fields.update_gid:
            self.refuse("chmod", node.rules)
        return self.attributes(node)

    async def read(self, handle, offset, count):
        node = self.nodes[handle]
        end = min(offset + count, node.size)
        found = bytes(node.data[offset:end])
        return found + bytes(max(end - offset - len(found), 0))

    async def write(self, handle, offset, content):
        node = self.nodes[handle]
        end = offset + len(content)
        self.check_size(node, end)
        others = sum(other.size for _, other in node.parent.children.values() if other is not node)
        if others + end > int(node.rules.get("room", str(1 << 62))):
            raise pyfuse3.FUSEError(errno.ENOSPC)
        if len(node.data) < end:
            node.data.extend(bytes(end - len(node.data)))
        node.data[offset:end] = content
        node.size = max(node.size, end)
        node.changed = time.time_ns()
        return len(content)

    async def fsync(self, handle, content_only):
        self.refuse("fsync", self.nodes[handle].rules)

    async def fsyncdir(self, handle, content_only):
        self.refuse("fsyncdir", self.nodes[handle].rules)

    async def statfs(self, ctx):
        status = pyfuse3.StatvfsData()
        status.f_bsize = status.f_frsize = BLOCK
        # 64 GiB, so that it is never room that lacks.
        status.f_blocks = status.f_bfree = status.f_bavail = (64 << 30) // BLOCK
        status.f_files = status.f_ffree = status.f_favail = 1 << 20
        status.f_namemax = 255
        return status


async def serve(place):
    options = set(pyfuse3.default_options) | {"fsname=refusing"}
    pyfuse3.init(RefusingFileSystem(), place, options)
    print("mounted", flush=True)
    try:
        await pyfuse3.main()
    finally:
        pyfuse3.close(unmount=False)


if __name__ == "__main__":
    trio.run(serve, sys.argv[1])
