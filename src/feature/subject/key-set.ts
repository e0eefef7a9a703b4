// A compact set of record keys: 16 bytes of a hash for each, in one array that doubles. A collision of two keys would
// need about 2^64 records.

import { hash } from "node:crypto";
import { keyText, type RecordKey } from "../../domain/record/record-write.ts";

const wordsOfHash = 4;
const entriesAtFirst = 1_024;
/** How full the array can be before it doubles. */
const loadMax = 0.6;

export class KeySet {
  #words = new Uint32Array(entriesAtFirst * wordsOfHash);
  #size = 0;

  has(key: RecordKey): boolean {
    return !findPlace(this.#words, wordsOf(key)).isFree;
  }

  /** False if the set already contains the key. */
  add(key: RecordKey): boolean {
    if (!put(this.#words, wordsOf(key))) return false;
    this.#size += 1;
    if (this.#size > (this.#words.length / wordsOfHash) * loadMax) this.#grow();
    return true;
  }

  #grow(): void {
    const before = this.#words;
    this.#words = new Uint32Array(before.length * 2);
    for (let at = 0; at < before.length; at += wordsOfHash) {
      if (before[at] !== 0) put(this.#words, [...before.subarray(at, at + wordsOfHash)]);
    }
  }
}

/** An empty slot is zero, so no entry may be zero. */
function wordsOf(key: RecordKey): readonly number[] {
  const bytes = hash("sha256", keyText(key), "buffer");
  const [first = 0, ...others] = [0, 4, 8, 12].map((at) => bytes.readUInt32LE(at));
  return [(first | 1) >>> 0, ...others];
}

function put(array: Uint32Array, words: readonly number[]): boolean {
  const { at, isFree } = findPlace(array, words);
  if (isFree) array.set(words, at);
  return isFree;
}

function findPlace(array: Uint32Array, words: readonly number[]): { at: number; isFree: boolean } {
  const entries = array.length / wordsOfHash;
  for (let entry = (words[1] ?? 0) % entries; ; entry = (entry + 1) % entries) {
    const at = entry * wordsOfHash;
    if (array[at] === 0) return { at, isFree: true };
    if (words.every((word, index) => array[at + index] === word)) return { at, isFree: false };
  }
}
