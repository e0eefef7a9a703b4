// People who may import and abuse it: hostile files, rows that are all refused, files that are large once decompressed,
// and forms that never send their file.

import { constants, gzipSync, zstdCompressSync } from "node:zlib";
import { addOperator, read, signIn, submit, uploadFile } from "../../console/browse.ts";
import { type Client, makeClient, type Reply } from "../../support/http-client.ts";
import { operate } from "../../support/server.ts";
import { waitFor } from "../../support/wait-for.ts";
import type { Abuse, AbuseContext, Attack, Title } from "../abuse.ts";
import { makeIds, transaction } from "../records.ts";
import { holdConnections, usingEach } from "../sending.ts";
import { countReply } from "../tally.ts";

interface UploadedFile {
  readonly name: string;
  readonly content: Uint8Array<ArrayBuffer>;
}

/** Somebody who has signed in, with connections of their own. */
class Person {
  readonly #context: AbuseContext;
  readonly #client: Client;
  readonly cookie: string;

  constructor(context: AbuseContext, client: Client, cookie: string) {
    this.#context = context;
    this.#client = client;
    this.cookie = cookie;
  }

  close(): void {
    this.#client.close();
  }

  upload(file: UploadedFile): Promise<Reply> {
    const fields = { organization: this.#context.target.organizationId, type: "transaction" };
    return this.#count(uploadFile(this.#client, { cookie: this.cookie, fields, ...file }));
  }

  /** Views the file, imports it where that is possible, and removes it. */
  async use(file: UploadedFile): Promise<void> {
    const { location: path } = (await this.upload(file)).headers;
    if (path === undefined) return this.#context.pause(200);
    const seen = /name="seen" value="(\d+)"/.exec((await this.#show(path)).text)?.[1];
    // The second time, rows that would be refused don't keep it from importing.
    for (const form of seen === undefined ? [] : [{ seen }, { seen }]) {
      await this.#send(`${path}/start`, form);
      while (this.#context.mayGoOn() && (await this.#isImporting(path))) {
        await this.#context.pause(200);
      }
    }
    await this.#send(`${path}/stop`);
    await waitFor("the end of an import", async () =>
      (await this.#isImporting(path)) ? undefined : true,
    );
    await this.#send(`${path}/discard`);
  }

  async #isImporting(path: string): Promise<boolean> {
    return (
      (await this.#show(path)).text.match(/<h1>(?:Checking all rows|Importing)<\/h1>/) !== null
    );
  }

  #show(path: string): Promise<Reply> {
    return this.#count(read(this.#client, path, this));
  }

  #send(path: string, form: Readonly<Record<string, string>> = {}): Promise<Reply> {
    return this.#count(submit(this.#client, path, { cookie: this.cookie, form }));
  }

  async #count(sending: Promise<Reply>): Promise<Reply> {
    this.#context.tally.sent += 1;
    const reply = await sending;
    countReply(this.#context.tally, reply.status);
    return reply;
  }
}

async function makePeople(
  context: AbuseContext,
  { name, count }: { readonly name: string; readonly count: number },
): Promise<readonly Person[]> {
  const { address, environment } = context.target;
  return operate(environment, async (app) => {
    const people: Person[] = [];
    for (let index = 0; index < count; index += 1) {
      const operator = await addOperator(app, ["operator"], `${name}-${index}`);
      const client = makeClient(address);
      people.push(new Person(context, client, await signIn(app, client, operator)));
    }
    return people;
  });
}

function uploading(
  [name, what]: Title,
  filesOf: (context: AbuseContext) => readonly UploadedFile[],
): Abuse {
  return {
    name,
    what,
    prepare: async (context) => {
      const files = filesOf(context);
      const people = await makePeople(context, { name, count: context.amount(4, 2) });
      const users = people.map((person) => (file: UploadedFile) => person.use(file));
      const attack = usingEach(context, files, users);
      const run = async (): Promise<void> => {
        await attack.run();
        for (const person of people) person.close();
      };
      return { ...attack, run };
    },
  };
}

/** Gzip has any number of members, so that a large file is made quickly. */
function gzipOf(start: string, rest: Uint8Array, times: number): Uint8Array<ArrayBuffer> {
  return Buffer.concat([gzipSync(start), ...Array.from({ length: times }, () => rest)]);
}

const pieceBytes = 4_000_000;

function refusedRows(context: AbuseContext): readonly UploadedFile[] {
  const times = context.amount(64, 8);
  const short = gzipSync("1,2\n".repeat(pieceBytes / 4));
  const long = gzipSync(`1,${"x".repeat(pieceBytes / 4)}\n`);
  const wide = gzipSync(`${",".repeat(pieceBytes / 4)}\n`);
  return [short, long, wide].map((rows, index) => ({
    name: `refused-${index}.csv.gz`,
    content: gzipOf("tx_id\n", rows, times * (index + 1)),
  }));
}

function bombs(context: AbuseContext): readonly UploadedFile[] {
  const { organizationId } = context.target;
  const idOf = makeIds(`upload-${organizationId}`);
  const rows = Array.from({ length: 5 }, () => `${transaction(idOf())}\n`).join("");
  const times = context.amount(64, 8);
  const [blank, text] = ["\n", "x"].map((character) =>
    gzipSync(Buffer.alloc(pieceBytes, character)),
  );
  const plain = Buffer.concat([Buffer.from(rows), Buffer.alloc(times * pieceBytes, "\n")]);
  const wide = { params: { [constants.ZSTD_c_windowLog]: 27 } };
  if (blank === undefined || text === undefined) throw new TypeError("no bytes");
  return [
    { name: "blank.ndjson.gz", content: gzipOf(rows, blank, times) },
    { name: "blank.json.gz", content: gzipOf("[", blank, times) },
    { name: "line.csv.gz", content: gzipOf("tx_id\n", text, times) },
    {
      name: "empty.csv.gz",
      content: gzipOf("tx_id\n", gzipSync(""), context.amount(200_000, 20_000)),
    },
    { name: "nested.ndjson.gz", content: gzipSync(gzipOf(rows, blank, times)) },
    { name: "blank.ndjson.zst", content: zstdCompressSync(plain) },
    { name: "window.ndjson.zst", content: zstdCompressSync(plain, wide) },
  ];
}

/** Small files that cost what their size does not show, or are not what their names say. */
function hostile(): readonly UploadedFile[] {
  const [lists, objects] = ["[", '{"a":'].map((open) => `{"tx_id":${open.repeat(100_000)}`);
  const files: Readonly<Record<string, string>> = {
    "quotes.csv": `tx_id,type\n${`"\n`.repeat(100_000)}`,
    "open-quote.csv": `tx_id,type\n"${"a,b\n".repeat(100_000)}`,
    "cells.csv": `tx_id\n${",".repeat(500_000)}\n`,
    "columns.csv": `${",".repeat(19_999)}\n${`${",".repeat(19_999)}\n`.repeat(20)}`,
    "returns.csv": `tx_id${"\r".repeat(500_000)}`,
    "deep.json": `[${lists}`,
    "deep.ndjson": `${objects}\n`,
    "numbers.ndjson": `{"amount":${"9".repeat(500_000)}}\n`,
    "keys.ndjson": `{${Array.from({ length: 50_000 }, (_, key) => `"k${key}":1`).join(",")}}\n`,
    "text.csv.gz": "tx_id\n1\n",
    "zeros.csv": "\0".repeat(500_000),
    "rows.parquet": "PAR1",
  };
  return Object.entries(files).map(([name, text]) => ({
    name,
    content: new TextEncoder().encode(text),
  }));
}

const slowForms: Abuse = {
  name: "slow-forms",
  what: "60 forms of 7 people that arrive slowly and have no file",
  prepare: async (context): Promise<Attack> => {
    const people = await makePeople(context, { name: "slow-forms", count: 7 });
    const { address } = context.target;
    const headOf = (index: number): string =>
      `POST /console/upload HTTP/1.1\r\nhost: ${new URL(address).host}\r\norigin: ${address}\r\n` +
      `cookie: ${people[index % people.length]?.cookie ?? ""}\r\ncontent-length: 100000\r\n` +
      `content-type: multipart/form-data; boundary=x\r\n\r\n`;
    const connections = context.amount(60, 30);
    return {
      run: () =>
        holdConnections(context, { connections, addresses: 4 }, async (socket, index) => {
          socket.write(headOf(index));
          while (context.mayGoOn() && socket.isOpen) {
            await context.pause(500);
            socket.write("x");
          }
          socket.close();
        }),
      check: async () => {
        const [person] = people;
        const content = new TextEncoder().encode("tx_id\n1\n");
        const isFree = async (): Promise<boolean> =>
          (await person?.upload({ name: "small.csv", content }))?.status === 303;
        const { replies } = context.tally;
        const findings = replies[409] === undefined ? ["no form was refused"] : [];
        try {
          await waitFor("room for a file", isFree, { intervalMs: 100 });
        } catch {
          findings.push("forms that were closed still count");
        }
        for (const one of people) one.close();
        return findings;
      },
    };
  },
};

export const uploads: readonly Abuse[] = [
  uploading(["hostile-files", "small hostile files, viewed and imported"], hostile),
  uploading(["refused-rows", "files of which every row is refused, imported"], refusedRows),
  uploading(["upload-bombs", "files that decode to 256 MB or more, viewed and imported"], bombs),
  slowForms,
];
