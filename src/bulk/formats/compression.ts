// Compressed files by the ending of their names: .gz, .br and .zst.

import {
  constants,
  createBrotliCompress,
  createBrotliDecompress,
  createGunzip,
  createGzip,
  createZstdCompress,
  createZstdDecompress,
} from "node:zlib";

/** At its default quality, Brotli takes a hundred times as long for a result that is a tenth smaller. */
const brotliParameters = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/** 8 MiB: enough for all levels of zstd up to 19, but not for 20 to 22 and `--long`. */
const windowLogMax = 23;

const compressions = [
  { ending: ".gz", compress: () => createGzip(), decompress: () => createGunzip() },
  {
    ending: ".br",
    compress: () => createBrotliCompress(brotliParameters),
    decompress: () => createBrotliDecompress(),
  },
  {
    ending: ".zst",
    compress: () => createZstdCompress(),
    decompress: () =>
      createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: windowLogMax } }),
  },
];

export function compressionOf(name: string) {
  const lower = name.toLowerCase();
  return compressions.find(({ ending }) => lower.endsWith(ending));
}

export function plainName(name: string): string {
  const compression = compressionOf(name);
  return compression === undefined ? name : name.slice(0, -compression.ending.length);
}

export function formatByEnding<Format>(
  name: string,
  formats: Readonly<Record<string, Format>>,
): Format | undefined {
  const ending = /\.([^./\\]+)$/.exec(plainName(name))?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(formats, ending) ? formats[ending] : undefined;
}
