// Any character of Unicode, for `unit` of `fc.string`. The unit "binary" has the same characters, but first makes a map
// of all of them, which takes a second.

import * as fc from "fast-check";

const surrogatesFrom = 0xd8_00;
const surrogates = 0x8_00;

/** One code point that is not half of a surrogate pair. */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10_ff_ff - surrogates })
  .map((number) => String.fromCodePoint(number < surrogatesFrom ? number : number + surrogates));
