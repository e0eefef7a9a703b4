// A set of record keys that needs little memory: 16 bytes of a hash for each, in one array that doubles. Two keys with the same
// hash would need 2^64 records.

import { hash } from "node:crypto";

const wordsOfHash = 4;
const entriesAtFirst = 1_024;
/** How full the array becomes before it doubles. */
const loadMax = 0.6;

export class KeySet {
  #words = new Uint32Array(entriesAtFirst * wordsOfHash);
  #size = 0;

  /** False if it has the key already. */
  add(key: string): boolean {
    const bytes = hash("sha256", key, "buffer");
    // An empty entry is zero, and no entry may look like one.
    const words = [0, 4, 8, 12].map((at) => bytes.readUInt32LE(at));
    words[0] = ((words[0] ?? 0) | 1) >>> 0;
    if (!put(this.#words, words)) return false;
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

/** False if the entry is there. */
function put(array: Uint32Array, words: readonly number[]): boolean {
  const entries = array.length / wordsOfHash;
  for (let entry = (words[1] ?? 0) % entries; ; entry = (entry + 1) % entries) {
    const at = entry * wordsOfHash;
    if (array[at] === 0) {
      array.set(words, at);
      return true;
    }
    if (words.every((word, index) => array[at + index] === word)) return false;
  }
}
