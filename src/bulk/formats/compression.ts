// Compressed files by their extension: .gz, .br and .zst. Knows nothing of their content.

import type { Transform } from "node:stream";
import {
  constants,
  createBrotliCompress,
  createBrotliDecompress,
  createGunzip,
  createGzip,
  createZstdCompress,
  createZstdDecompress,
} from "node:zlib";

export interface Compression {
  readonly ending: string;
  readonly compress: () => Transform;
  readonly decompress: () => Transform;
}

/** Brotli at its default takes a hundred times as long as it needs for a tenth less. */
const brotliParameters = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

const compressions: readonly Compression[] = [
  { ending: ".gz", compress: () => createGzip(), decompress: () => createGunzip() },
  {
    ending: ".br",
    compress: () => createBrotliCompress(brotliParameters),
    decompress: () => createBrotliDecompress(),
  },
  {
    ending: ".zst",
    compress: () => createZstdCompress(),
    decompress: () => createZstdDecompress(),
  },
];

/** Undefined for a name without such an ending. */
export function compressionOf(name: string): Compression | undefined {
  const lower = name.toLowerCase();
  return compressions.find(({ ending }) => lower.endsWith(ending));
}

/** The name without the ending of its compression. */
export function plainName(name: string): string {
  const compression = compressionOf(name);
  return compression === undefined ? name : name.slice(0, -compression.ending.length);
}
