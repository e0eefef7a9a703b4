// Writes entries of a file system as a tar archive (POSIX.1-2001, pax), always with the same bytes for the same entries.
// Holds one file at a time in memory, and never reads the clock, names of users or the order of a folder.

import { readFileSync } from "node:fs";

const blockBytes = 512;
const types = { file: "0", link: "2", folder: "5", extended: "x" };

/**
 * Chunks of the archive. An entry has `path` (without a leading slash), `type`, `mode`, `owner` (user and group id),
 * and, by its type, `content` or `source`, or `target`.
 */
export function* tarOf(entries, modifiedSeconds) {
  for (const entry of entries) {
    const name = entry.type === "folder" ? `${entry.path}/` : entry.path;
    const content = contentOf(entry);
    const extended = extendedHeader(name, entry.target ?? "");
    if (extended.length > 0) {
      const about = { path: "pax", type: "extended", mode: 0o644, owner: 0 };
      yield header(about, "pax", { size: extended.length, modifiedSeconds });
      yield* padded(extended);
    }
    yield header(entry, name, { size: content.length, modifiedSeconds });
    yield* padded(content);
  }
  yield Buffer.alloc(2 * blockBytes);
}

function contentOf({ type, content, source }) {
  if (type !== "file") return Buffer.alloc(0);
  return source === undefined ? Buffer.from(content) : readFileSync(source);
}

function* padded(bytes) {
  yield bytes;
  const rest = bytes.length % blockBytes;
  if (rest > 0) yield Buffer.alloc(blockBytes - rest);
}

/** Names that do not fit into a header: `LENGTH path=…`, where the length counts its own digits. */
function extendedHeader(name, target) {
  const records = [
    ["path", name],
    ["linkpath", target],
  ].filter(([, value]) => Buffer.byteLength(value) > 100);
  return Buffer.concat(records.map(([key, value]) => paxRecord(key, value)));
}

function paxRecord(key, value) {
  const rest = ` ${key}=${value}\n`;
  const bytes = Buffer.byteLength(rest);
  let length = bytes;
  while (length !== bytes + String(length).length) length = bytes + String(length).length;
  return Buffer.from(`${length}${rest}`);
}

function header({ type, mode, owner, target = "" }, name, { size, modifiedSeconds }) {
  const block = Buffer.alloc(blockBytes);
  const put = (text, offset, length) => block.write(text, offset, length, "utf8");
  put(name, 0, 100);
  put(octal(mode, 8), 100, 8);
  put(octal(owner, 8), 108, 8);
  put(octal(owner, 8), 116, 8);
  put(octal(size, 12), 124, 12);
  put(octal(modifiedSeconds, 12), 136, 12);
  put(" ".repeat(8), 148, 8);
  put(types[type], 156, 1);
  put(target, 157, 100);
  put("ustar\u000000", 257, 8);
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(`${sum.toString(8).padStart(6, "0")}\0 `, 148, 8);
  return block;
}

function octal(value, length) {
  return `${value.toString(8).padStart(length - 1, "0")}\0`;
}
