// Parquet files that claim what they do not have, each by another number: made from the structures of the format,
// because no library writes such files.

import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import { ByteWriter } from "hyparquet-writer";
import { deltaBinaryPack } from "hyparquet-writer/src/delta.js";
import { serializeTCompactProtocol } from "hyparquet-writer/src/thrift.js";

type Struct = Readonly<Record<string, unknown>>;

const integerMax = 2 ** 31 - 1;
const kind = { boolean: 0, int32: 1, int64: 2, text: 6, fixed: 7 } as const;
const encoding = { plain: 0, rle: 3, delta: 5, deltaBytes: 7, index: 8, split: 9 } as const;
const codec = { none: 0, snappy: 1, gzip: 2, brotli: 4, zstd: 6 } as const;

function bytesOf(struct: Struct): Buffer {
  const writer = new ByteWriter();
  serializeTCompactProtocol(writer, struct);
  return Buffer.from(writer.getBytes());
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) + 128);
  }
}

interface PageParts {
  readonly count?: number;
  readonly encoding?: number;
  readonly unpacked?: number;
  readonly packed?: number;
}

/** A data page of the first version. */
function page(body: Buffer, parts: PageParts = {}): Buffer {
  const { unpacked = body.length, packed = body.length } = parts;
  const data = { field_1: parts.count ?? 1, field_2: parts.encoding ?? 0, field_3: 3, field_4: 3 };
  return Buffer.concat([
    bytesOf({ field_1: 0, field_2: unpacked, field_3: packed, field_5: data }),
    body,
  ]);
}

function dictionary(body: Buffer, count: number, { unpacked = body.length } = {}): Buffer {
  const head = { field_1: count, field_2: 0 };
  return Buffer.concat([
    bytesOf({ field_1: 2, field_2: unpacked, field_3: body.length, field_7: head }),
    body,
  ]);
}

function second(body: Buffer, data: Struct, unpacked = body.length): Buffer {
  return Buffer.concat([
    bytesOf({ field_1: 3, field_2: unpacked, field_3: body.length, field_8: data }),
    body,
  ]);
}

interface Column {
  readonly type?: number;
  readonly typeLength?: number;
  readonly repetition?: number;
  readonly converted?: number;
  readonly codec?: number;
  readonly pages: Buffer;
}

interface FileParts {
  readonly columns: readonly Column[];
  readonly rows?: number;
  readonly groups?: number;
  /** All columns have the pages of the first. */
  readonly shared?: boolean;
  readonly change?: (metadata: Record<string, unknown>) => Struct;
}

function file({ columns, rows = 1, groups = 1, shared = false, change }: FileParts): Buffer {
  const names = columns.map((_, index) => (index === 0 ? "tx_id" : `c${index}`));
  let at = 4;
  const chunks = columns.map(({ type = kind.text, codec: packing = 0, pages }, index) => {
    const from = shared ? 4 : at;
    at += shared && index > 0 ? 0 : pages.length;
    const data = {
      field_1: type,
      field_2: [0],
      field_3: [names[index] ?? ""],
      field_4: packing,
      field_5: BigInt(rows),
      field_6: BigInt(pages.length),
      field_7: BigInt(pages.length),
      field_9: BigInt(from),
    };
    return { field_2: 4n, field_3: data };
  });
  const elements = columns.map((column, index) => ({
    field_1: column.type ?? kind.text,
    ...(column.typeLength !== undefined && { field_2: column.typeLength }),
    field_3: column.repetition ?? 0,
    field_4: names[index] ?? "",
    ...(column.converted !== undefined && { field_6: column.converted }),
  }));
  const group = { field_1: chunks, field_2: 1n, field_3: BigInt(rows) };
  const metadata: Record<string, unknown> = {
    field_1: 1,
    field_2: [{ field_4: "root", field_5: columns.length }, ...elements],
    field_3: BigInt(rows) * BigInt(groups),
    field_4: Array.from({ length: groups }, () => group),
  };
  const pages = shared ? columns.slice(0, 1) : columns;
  return close(
    Buffer.concat(pages.map((one) => one.pages)),
    bytesOf(change?.(metadata) ?? metadata),
  );
}

function close(pages: Buffer, footer: Buffer, length = footer.length): Buffer {
  const end = Buffer.alloc(4);
  end.writeUInt32LE(length);
  return Buffer.concat([Buffer.from("PAR1"), pages, footer, end, Buffer.from("PAR1")]);
}

function prefixed(body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(body.length);
  return Buffer.concat([length, body]);
}

function deltas(values: readonly number[]): Buffer {
  const writer = new ByteWriter();
  deltaBinaryPack(writer, Int32Array.from(values), "INT32");
  return Buffer.from(writer.getBytes());
}

const text = prefixed(Buffer.from("a"));
const blank = Buffer.alloc(12_000_000);
const million = 1_000_000;

/** All-null pages, of which each has a million rows in a few bytes. */
const nulls = page(prefixed(Buffer.concat([varint(million * 2), Buffer.from([0])])), {
  count: million,
});

const amplified = [
  deltas([0, ...Array.from({ length: 100_000 }, () => 500_000)]),
  deltas([500_000, ...Array.from({ length: 100_000 }, () => 0)]),
  Buffer.alloc(500_000, "x"),
];

const wideJson = Buffer.from(JSON.stringify(Array.from({ length: 20_000 }, () => [])));

export const hostileFiles: Readonly<Record<string, () => Buffer>> = {
  "says that a page has 2 GB": () =>
    file({ columns: [{ codec: codec.snappy, pages: page(text, { unpacked: integerMax }) }] }),
  "says that a page is longer than the file": () =>
    file({ columns: [{ pages: page(text, { packed: integerMax, unpacked: integerMax }) }] }),
  "says that a page has less than nothing": () =>
    file({ columns: [{ pages: page(text, { packed: -5, unpacked: -5, count: -5 }) }] }),
  "says that a page has 2 billion values": () =>
    file({ columns: [{ pages: page(text, { count: integerMax }) }], rows: integerMax }),
  "says that a dictionary has 2 billion values": () =>
    file({ columns: [{ pages: dictionary(text, integerMax) }] }),
  "has a page of gzip that is larger than it says": () =>
    file({ columns: [{ codec: codec.gzip, pages: page(gzipSync(blank), { unpacked: 100 }) }] }),
  "has columns of gzip that are large": () => {
    const pages = page(gzipSync(blank), { unpacked: blank.length, count: 200_000 });
    const column = { codec: codec.gzip, pages };
    return file({ columns: Array.from({ length: 12 }, () => column), shared: true, rows: 200_000 });
  },
  "has columns of zstd that are large": () => {
    const pages = page(zstdCompressSync(blank), { unpacked: blank.length, count: 200_000 });
    const column = { codec: codec.zstd, pages };
    return file({ columns: Array.from({ length: 12 }, () => column), shared: true, rows: 200_000 });
  },
  "has a page of brotli that is larger than it says": () =>
    file({
      columns: [{ codec: codec.brotli, pages: page(brotliCompressSync(blank), { unpacked: 9 }) }],
    }),
  "has rows without columns": () =>
    file({
      columns: [],
      change: (metadata) => ({
        ...metadata,
        field_3: 2n ** 50n,
        field_4: [{ field_1: [], field_2: 1n, field_3: 2n ** 50n }],
      }),
    }),
  "has more rows than values": () => file({ columns: [{ pages: page(text) }], rows: 2 ** 40 }),
  "has more values than rows": () =>
    file({ columns: [{ pages: Buffer.concat([page(text), page(text)]) }] }),
  "has a billion rows of nothing": () =>
    file({
      columns: [
        { repetition: 1, pages: Buffer.concat(Array.from({ length: 1_000 }, () => nulls)) },
      ],
      rows: 1_000 * million,
    }),
  "has a thousand columns of a million rows of nothing": () =>
    file({
      columns: Array.from({ length: 1_000 }, () => ({ repetition: 1, pages: nulls })),
      shared: true,
      rows: million,
    }),
  "has a run of levels without end": () => {
    const levels = prefixed(Buffer.concat([varint(2 ** 31 - 2), Buffer.from([0])]));
    return file({ columns: [{ repetition: 1, pages: page(levels) }] });
  },
  "has a run of indices without end": () => {
    const runs = Buffer.concat([Buffer.from([8]), varint(2 ** 31 - 2), Buffer.from([0])]);
    const pages = Buffer.concat([dictionary(text, 1), page(runs, { encoding: encoding.index })]);
    return file({ columns: [{ pages }] });
  },
  "has packed indices without bits": () => {
    const runs = Buffer.concat([Buffer.from([0]), varint(2 ** 31 - 1)]);
    const data = { field_1: 1, field_2: 0, field_3: 1, field_4: 8, field_5: 0, field_6: 0 };
    const pages = Buffer.concat([dictionary(text, 1), second(runs, { ...data, field_7: false })]);
    return file({ columns: [{ pages }] });
  },
  "has levels that are longer than their page": () => {
    const data = { field_1: 1, field_2: 0, field_3: 1, field_4: 0 };
    return file({
      columns: [{ pages: second(text, { ...data, field_5: integerMax, field_6: integerMax }) }],
    });
  },
  "has texts that repeat their beginning": () =>
    file({
      columns: [
        {
          pages: page(Buffer.concat(amplified), { count: 100_001, encoding: encoding.deltaBytes }),
        },
      ],
      rows: 100_001,
    }),
  "has 2 billion blocks of deltas": () => {
    const head = Buffer.concat([varint(128), varint(integerMax), varint(9), varint(0), varint(0)]);
    const pages = page(head, { count: 9, encoding: encoding.delta });
    return file({ columns: [{ type: kind.int64, pages }], rows: 9 });
  },
  "has values of 2 GB each": () => {
    const pages = page(text, { count: 200_000, encoding: encoding.split });
    return file({
      columns: [{ type: kind.fixed, typeLength: integerMax, pages }],
      rows: 200_000,
    });
  },
  "has a large value of JSON in each of a million rows": () => {
    const body = prefixed(wideJson);
    const indices = page(Buffer.from([0]), { count: million, encoding: encoding.index });
    const pages = Buffer.concat([dictionary(body, 1), indices]);
    return file({ columns: [{ converted: 19, pages }], rows: million });
  },
  "has metadata with a list of 2 billion": () =>
    close(Buffer.alloc(9), Buffer.concat([Buffer.from([0x29, 0xfc]), varint(integerMax)])),
  "has metadata with a list of a million lists": () =>
    close(
      Buffer.alloc(9),
      Buffer.concat([Buffer.from([0x29, 0xfc]), varint(million), Buffer.alloc(million)]),
    ),
  "has metadata of 100,000 levels": () => close(Buffer.alloc(9), Buffer.alloc(100_000, 0x1c)),
  "has metadata with an integer of a megabyte": () =>
    close(Buffer.alloc(9), Buffer.concat([Buffer.from([0x16]), Buffer.alloc(million, 0xff)])),
  "has metadata that is longer than the file": () =>
    close(Buffer.alloc(9), Buffer.alloc(9), 2 ** 32 - 1),
  "has columns within columns": () =>
    file({
      columns: [{ pages: page(text) }],
      change: (metadata) => ({
        ...metadata,
        field_2: Array.from({ length: 20_000 }, () => ({ field_4: "a", field_5: 1 })),
      }),
    }),
  "has 2 billion columns": () =>
    file({
      columns: [{ pages: page(text) }],
      change: (metadata) => ({ ...metadata, field_2: [{ field_4: "a", field_5: integerMax }] }),
    }),
  "has a hundred thousand row groups of nothing": () =>
    file({ columns: [{ pages: page(text) }], rows: 0, groups: 12_000 }),
};
