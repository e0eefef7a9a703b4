// The pages of one column of a row group, read from the file one at a time. The library decodes a page only after its
// header and its content were checked, so that it allocates no more than `page-limits.ts` permits, whatever a file
// says.

import { brotliDecompressSync, gunzipSync, zstdDecompressSync, constants } from "node:zlib";
import type { CompressionCodec, Compressors, DecodedArray, PageHeader } from "hyparquet";
import type { ColumnDecoder } from "hyparquet/src/types.js";
import { parquetHeader, readPage } from "hyparquet/src/column.js";
import { convert, DEFAULT_PARSERS } from "hyparquet/src/convert.js";
import { decompressPage } from "hyparquet/src/datapage.js";
import { getMaxDefinitionLevel, getMaxRepetitionLevel } from "hyparquet/src/schema.js";
import { parsers, plainParsers } from "../parquet-value.ts";
import { type Chunk, type Leaf, readAt } from "./footer.ts";
import {
  checkRuns,
  checkValues,
  damaged,
  readLevels,
  tooLarge,
  tooManyValues,
} from "./page-check.ts";
import { pageLimits } from "./page-limits.ts";
import { checkThrift, ThriftTooShort } from "./thrift-check.ts";

export interface Page {
  readonly header: PageHeader;
  readonly bodyAt: number;
  /** Where the next page begins. */
  readonly next: number;
  /** The number of values, including those that are null; 0 for a dictionary. */
  readonly values: number;
}

/**
 * How many bytes of a header are read; most headers are shorter, unless they contain the smallest
 * and the largest value.
 */
const headBytes = 4_096;
/** Compressions besides Snappy, which the library includes. */
const compressors: Compressors = {
  GZIP: (bytes, size) => gunzipSync(bytes, { maxOutputLength: Math.max(size, 1) }),
  BROTLI: (bytes, size) => brotliDecompressSync(bytes, { maxOutputLength: Math.max(size, 1) }),
  ZSTD: (bytes, size) =>
    zstdDecompressSync(bytes, {
      maxOutputLength: Math.max(size, 1),
      params: { [constants.ZSTD_d_windowLogMax]: Math.log2(pageLimits.bytesMax) },
    }),
};
export const codecs: readonly string[] = ["UNCOMPRESSED", "SNAPPY", ...Object.keys(compressors)];

export class Pages {
  readonly #descriptor: number;
  readonly #decoder: ColumnDecoder;
  readonly #codec: CompressionCodec;
  readonly #definitionMax: number;
  readonly #repetitionMax: number;
  readonly to: number;
  readonly isFlat: boolean;
  #dictionary: DecodedArray | undefined;

  constructor(descriptor: number, { tree, path }: Leaf, { to, data }: Chunk) {
    this.#descriptor = descriptor;
    this.to = to;
    this.#codec = data.codec;
    this.#definitionMax = getMaxDefinitionLevel([...path]);
    this.#repetitionMax = getMaxRepetitionLevel([...path]);
    this.isFlat = path.length === 2 && this.#repetitionMax === 0;
    const { element } = tree;
    if (element.type === undefined || element.type !== data.type) throw damaged();
    this.#decoder = {
      pathInSchema: tree.path,
      type: element.type,
      element,
      schemaPath: [...path],
      codec: "UNCOMPRESSED",
      parsers: { ...DEFAULT_PARSERS, ...(this.isFlat ? plainParsers : parsers) },
      // Bytes without annotation must stay bytes, because decimals are encoded so.
      utf8: false,
    };
  }

  /** The page that begins there. */
  readHeader(at: number): Page {
    const left = this.to - at;
    let bytes = readAt(this.#descriptor, at, Math.min(left, headBytes));
    let ended: number;
    try {
      ended = checkThrift(bytes, pageLimits.headerValuesMax);
    } catch (error) {
      if (!(error instanceof ThriftTooShort) || left <= headBytes) throw error;
      bytes = readAt(this.#descriptor, at, Math.min(left, pageLimits.headerBytesMax));
      ended = checkThrift(bytes, pageLimits.headerValuesMax);
    }
    const header = parquetHeader({ view: new DataView(bytes.buffer), offset: 0 });
    const { compressed_page_size: packed, uncompressed_page_size: size } = header;
    if (!(packed >= 0 && packed <= left - ended && size >= 0)) throw damaged();
    if (packed > pageLimits.bytesMax || size > pageLimits.bytesMax) throw tooLarge();
    const values = this.#countValues(header);
    return { header, bodyAt: at + ended, next: at + ended + packed, values };
  }

  #countValues(header: PageHeader): number {
    const { dictionary_page_header: dictionary, data_page_header: one } = header;
    const two = header.data_page_header_v2;
    if (header.type === "DICTIONARY_PAGE" && dictionary !== undefined) {
      if (!(dictionary.num_values >= 0)) throw damaged();
      if (dictionary.num_values > pageLimits.objectsMax) throw tooManyValues();
      return 0;
    }
    const count = (header.type === "DATA_PAGE_V2" ? two : one)?.num_values ?? -1;
    if (!(count >= 0)) throw damaged();
    if (count > (this.isFlat ? pageLimits.valuesMax : pageLimits.objectsMax)) throw tooManyValues();
    return count;
  }

  /** Reads a dictionary for the pages that follow. */
  readDictionary({ header, bodyAt }: Page): void {
    const body = this.#unpack(this.#readBody(header, bodyAt), header.uncompressed_page_size);
    const count = header.dictionary_page_header?.num_values ?? 0;
    checkValues(body, 0, { count, encoding: "PLAIN", element: this.#decoder.element });
    const { data } = this.#decode(header, body, undefined);
    this.#dictionary = data && convert(data, this.#decoder);
  }

  forgetDictionary(): void {
    this.#dictionary = undefined;
  }

  /** The values of the page; the values of a nested column are added to `before`. */
  read(
    { header, bodyAt }: Page,
    before?: unknown[],
  ): { readonly data: DecodedArray; readonly beginsRow: boolean } {
    const raw = this.#readBody(header, bodyAt);
    const { body, beginsRow } =
      header.type === "DATA_PAGE_V2"
        ? this.#checkSecond(header, raw)
        : this.#checkFirst(header, raw);
    const { data } = this.#decode(header, body, before);
    if (data === undefined) throw damaged();
    return { data, beginsRow };
  }

  #readBody({ compressed_page_size: bytes }: PageHeader, at: number): Uint8Array<ArrayBuffer> {
    return readAt(this.#descriptor, at, bytes);
  }

  #unpack(bytes: Uint8Array, size: number): Uint8Array {
    return decompressPage(bytes, size, this.#codec, compressors);
  }

  /** Levels and values are compressed together. */
  #checkFirst(
    { uncompressed_page_size: size, data_page_header: data }: PageHeader,
    raw: Uint8Array,
  ): Checked {
    if (data === undefined) throw damaged();
    const body = this.#unpack(raw, size);
    const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
    let at = 0;
    const readNext = (levelMax: number): Uint8Array => {
      if (levelMax === 0) return new Uint8Array(0);
      const [from, to] = [at + 4, at + 4 + view.getUint32(at, true)];
      at = to;
      return readLevels(body, { from, to, width: widthOf(levelMax), count: data.num_values });
    };
    const [first = 0] = readNext(this.#repetitionMax);
    const nulls = readNext(this.#definitionMax).filter((level) => level !== this.#definitionMax);
    const count = data.num_values - nulls.length;
    checkValues(body, at, { count, encoding: data.encoding, element: this.#decoder.element });
    return { body, beginsRow: first === 0 };
  }

  /** Levels come first, and are not compressed. */
  #checkSecond(header: PageHeader, raw: Uint8Array): Checked {
    const data = header.data_page_header_v2;
    if (data === undefined) throw damaged();
    const { num_values: count, num_nulls: nulls, encoding } = data;
    const repetition = data.repetition_levels_byte_length;
    const levels = repetition + data.definition_levels_byte_length;
    const size = header.uncompressed_page_size - levels;
    if (!(repetition >= 0 && levels >= repetition && levels <= raw.length && size >= 0)) {
      throw damaged();
    }
    if (!(nulls >= 0 && nulls <= count)) throw damaged();
    const [first = 0] =
      this.#repetitionMax === 0
        ? []
        : readLevels(raw, { from: 0, to: repetition, width: widthOf(this.#repetitionMax), count });
    if (this.#definitionMax > 0) {
      checkRuns(raw, { from: repetition, to: levels, width: widthOf(this.#definitionMax), count });
    }
    const packed = raw.subarray(levels);
    const values = data.is_compressed === false ? packed : this.#unpack(packed, size);
    const { element } = this.#decoder;
    checkValues(values, 0, { count: count - nulls, encoding, element, isSecond: true });
    return { body: Buffer.concat([raw.subarray(0, levels), values]), beginsRow: first === 0 };
  }

  #decode(header: PageHeader, body: Uint8Array, before: unknown[] | undefined) {
    const { data_page_header_v2: second } = header;
    const plain = {
      ...header,
      compressed_page_size: body.length,
      uncompressed_page_size: body.length,
      ...(second && { data_page_header_v2: { ...second, is_compressed: false } }),
    };
    // A separate buffer, because the library uses the end of the buffer as the end of the page.
    const isWhole = body.byteLength === body.buffer.byteLength;
    const view = new DataView((isWhole ? body : Uint8Array.from(body)).buffer as ArrayBuffer);
    return readPage({ view, offset: 0 }, plain, this.#decoder, this.#dictionary, before, 0);
  }
}

interface Checked {
  /** The decompressed bytes. */
  readonly body: Uint8Array;
  /** False if its first value belongs to the last row of the page before. */
  readonly beginsRow: boolean;
}

function widthOf(levelMax: number): number {
  return 32 - Math.clz32(levelMax);
}
