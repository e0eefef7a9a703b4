// Reads from an ELF file which machine it is for, which loader starts it and which shared libraries it needs, so that
// an image holds exactly these. Works for programs of other machines, too, because nothing is executed.

import { closeSync, existsSync, openSync, readSync, realpathSync } from "node:fs";
import { join } from "node:path";

/** e_machine of the ELF header: the name of the architecture in an image, and the one in paths of Debian. */
const machines = new Map([
  [62, { architecture: "amd64", triplet: "x86_64-linux-gnu" }],
  [183, { architecture: "arm64", triplet: "aarch64-linux-gnu" }],
]);

const magic = 0x7f454c46;
const segment = { dynamic: 2, interpreter: 3 };
const tag = { end: 0, needed: 1, stringTable: 5 };

/** The architecture that a file is for; undefined if it does not exist, is no ELF file, or is for another machine. */
export function machineOf(path) {
  if (!existsSync(path)) return undefined;
  const header = Buffer.alloc(20);
  const file = openSync(path, "r");
  try {
    readSync(file, header, 0, header.length, 0);
  } finally {
    closeSync(file);
  }
  if (header.readUInt32BE(0) !== magic) return undefined;
  return machines.get(header.readUInt16LE(18))?.architecture;
}

/** 64-bit, little-endian files only, which all supported machines have. */
export function readElf(path) {
  const file = openSync(path, "r");
  try {
    const read = (offset, length) => {
      const bytes = Buffer.alloc(Number(length));
      const count = readSync(file, bytes, 0, bytes.length, Number(offset));
      return bytes.subarray(0, count);
    };
    const header = read(0, 64);
    if (header.length < 64 || header.readUInt32BE(0) !== magic) {
      throw new Error(`${path} is not an ELF program: name a Node for Linux.`);
    }
    const machine = machines.get(header.readUInt16LE(18));
    if (machine === undefined || header[4] !== 2 || header[5] !== 1) {
      throw new Error(`${path} is for neither amd64 nor arm64.`);
    }
    const segments = readSegments(header, read);
    const interpreter = segments.find(({ type }) => type === segment.interpreter);
    return {
      ...machine,
      interpreter: interpreter && textAt(read(interpreter.offset, interpreter.size), 0),
      needed: readNeeded(segments, read),
    };
  } finally {
    closeSync(file);
  }
}

function readSegments(header, read) {
  const offset = header.readBigUInt64LE(32);
  const size = header.readUInt16LE(54);
  const count = header.readUInt16LE(56);
  return Array.from({ length: count }, (_, index) => {
    const entry = read(offset + BigInt(index * size), size);
    return {
      type: entry.readUInt32LE(0),
      offset: entry.readBigUInt64LE(8),
      address: entry.readBigUInt64LE(16),
      size: entry.readBigUInt64LE(32),
    };
  });
}

function readNeeded(segments, read) {
  const dynamic = segments.find(({ type }) => type === segment.dynamic);
  if (dynamic === undefined) return [];
  const bytes = read(dynamic.offset, dynamic.size);
  const entries = [];
  for (let at = 0; at + 16 <= bytes.length; at += 16) {
    const entry = { tag: Number(bytes.readBigInt64LE(at)), value: bytes.readBigUInt64LE(at + 8) };
    if (entry.tag === tag.end) break;
    entries.push(entry);
  }
  const table = entries.find((entry) => entry.tag === tag.stringTable)?.value ?? 0n;
  const holder = segments.find(
    ({ type, address, size }) => type === 1 && table >= address && table < address + size,
  );
  if (holder === undefined) return [];
  const strings = read(holder.offset + table - holder.address, holder.size);
  return entries
    .filter((entry) => entry.tag === tag.needed)
    .map(({ value }) => textAt(strings, Number(value)));
}

function textAt(bytes, start) {
  return bytes.toString("latin1", start, bytes.indexOf(0, start));
}

/**
 * The loader and all libraries that a program needs, directly or not, as pairs of the path in the image and the file to
 * copy. They are searched for under `folder`, the root of a file system for that machine.
 */
export function findLibraries(program, folder) {
  const { architecture, interpreter, needed, triplet } = readElf(program);
  if (interpreter === undefined) return [];
  const places = [`lib/${triplet}`, `usr/lib/${triplet}`, "lib64", "usr/lib64", "lib", "usr/lib"];
  const found = new Map([[interpreter, join(folder, interpreter)]]);
  const names = [...needed];
  for (const name of names) {
    // A folder that is not named for a machine can have the library of another one.
    const files = places.map((place) => join(folder, place, name));
    const path = files.find((file) => machineOf(file) === architecture);
    if (path === undefined) {
      throw new Error(
        `${program} needs ${name} for ${architecture}, which is not in ${folder}: ` +
          "install it, or name the root of a file system that has it with --libraries.",
      );
    }
    found.set(`/lib/${triplet}/${name}`, path);
    names.push(...readElf(path).needed.filter((other) => !names.includes(other)));
  }
  // The loader is needed by the C library under its bare name, too; one copy of it is enough.
  found.delete(`/lib/${triplet}/${interpreter.slice(interpreter.lastIndexOf("/") + 1)}`);
  return [...found].map(([path, source]) => ({ path, source: realpathSync(source) }));
}
