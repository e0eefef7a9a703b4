// The refused rows of an upload: their download, whatever the name of the file, and their removal.

import assert from "node:assert/strict";
import { readdirSync, readlinkSync } from "node:fs";
import { after, describe, it } from "node:test";
import { createOrganization } from "../../../src/actions/access/create-organization.ts";
import { addOperator, importUpload, read, signIn, submit } from "../../console/browse.ts";
import { openRaw } from "../../support/raw-socket.ts";
import { startService } from "../../support/service.ts";
import { waitFor } from "../../support/wait-for.ts";
import { filesUploaded } from "./upload-folder.ts";
import { uploadInProcess } from "./upload-in-process.ts";

const organization = "acme";

type Part = readonly [disposition: string, content: string];

function formOf(parts: readonly Part[]): string {
  return `${parts.map(renderPart).join("")}--x--\r\n`;
}

function renderPart([disposition, content]: Part): string {
  return `--x\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`;
}

/** The files of refused rows that this process has open. */
function filesOpen(): readonly string[] {
  const targets = readdirSync("/proc/self/fd").map((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`);
    } catch {
      // It was closed meanwhile.
      return "";
    }
  });
  return targets.filter((target) => target.includes("refused"));
}

describe("the refused rows of an upload", async () => {
  const service = await startService({ replaced: { upload: uploadInProcess } });
  await createOrganization(service.app, { name: organization, organizationId: organization });
  await addOperator(service.app, ["operator"], "ada");
  const cookie = await signIn(service.app, service.client, "ada");

  after(() => service.stop());

  /** Uploads a file whose name is a parameter as browsers or programs write it, and imports it. */
  const importNamed = async (fileName: string, rows: readonly string[]): Promise<string> => {
    const { status, headers, text } = await service.client.send({
      method: "POST",
      path: "/console/upload",
      headers: {
        "content-type": "multipart/form-data; boundary=x",
        origin: service.address,
        cookie,
      },
      body: formOf([
        [`name="organization"`, organization],
        [`name="type"`, "transaction"],
        [`name="file"; ${fileName}`, ["tx_id,amount", ...rows].join("\n")],
      ]),
    });
    assert.equal(status, 303, text);
    const path = headers.location ?? "";
    await importUpload(service.client, path, { cookie });
    return path;
  };

  const filesStored = () => filesUploaded(service.folder);
  const discard = (path: string) => submit(service.client, `${path}/discard`, { cookie });

  it("can be downloaded and removed whatever the name of the file contains", async () => {
    const names = [
      // Half of a character, in an encoding that has it.
      [`filename*=utf-16le''t%00%00%D8.%00c%00s%00v%00`, "t%EF%BF%BD.refused.csv"],
      [`filename="a'(*)&quot;.csv"`, "a%27%28%2A%29%26quot%3B.refused.csv"],
      [`filename="日本\x01.csv"`, "%E6%97%A5%E6%9C%AC%01.refused.csv"],
    ] as const;
    for (const [parameter, encoded] of names) {
      const path = await importNamed(parameter, ["t1,x"]);
      const { status, headers, text } = await read(service.client, `${path}/refused`, { cookie });
      assert.equal(status, 200, text);
      assert.equal(headers["content-disposition"], `attachment; filename*=UTF-8''${encoded}`);
      assert.match(text, /t1,x/);
      assert.equal((await discard(path)).status, 303);
      assert.deepEqual([filesStored(), filesOpen()], [[], []]);
    }
  });

  it("leave the disk when the file is removed, though a browser has not read them", async () => {
    const cells = "x".repeat(4_000);
    const rows = Array.from({ length: 4_000 }, (_, index) => `t${index},${cells}`);
    const path = await importNamed(`filename="tx.csv"`, rows);
    const stalled = openRaw(service.address);
    stalled.socket.pause();
    const { host } = new URL(service.address);
    stalled.socket.write(
      `GET ${path}/refused HTTP/1.1\r\nHost: ${host}\r\nCookie: ${cookie}\r\n\r\n`,
    );
    await waitFor("the download", () => filesOpen().length === 1);
    assert.equal((await discard(path)).status, 303);
    await waitFor("the end", () => filesOpen().length === 0);
    assert.deepEqual(filesStored(), []);
    stalled.socket.destroy();
  });
});
