// Parses bytes as JSON without changing any value: a number that a double does not hold exactly becomes Infinity, which
// validation refuses. Errors never repeat what was sent.

import { isAscii, isUtf8 } from "node:buffer";
import { parseExactJson } from "../../domain/json/exact-number.ts";
import { describeJsonError, type JsonSource } from "./json-syntax-error.ts";

/** Linear in the number of bytes. Throws AppError malformed_json. Validation checks the depth of nesting. */
export function parseJson(bytes: Buffer, source: JsonSource = "body"): unknown {
  if (!isUtf8(bytes)) throw describeJsonError(bytes, source);
  // This gives the same text for ASCII, and is faster to decode.
  const text = bytes.toString(isAscii(bytes) ? "latin1" : "utf8");
  try {
    return parseExactJson(text, bytes);
  } catch {
    throw describeJsonError(bytes, source);
  }
}
