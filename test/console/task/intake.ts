// Tasks about files of records: uploading, mapping, repairing and importing them.

import assert from "node:assert/strict";
import { organizationName } from "../scene.ts";
import type { Hands } from "../hands.ts";
import type { Task } from "./task.ts";

async function upload(hands: Hands, file: Parameters<Hands["attach"]>[1]): Promise<void> {
  await hands.open("Intake");
  await hands.write("Organization", organizationName);
  await hands.choose("Record type", "Person");
  await hands.attach("File", file);
  await hands.press("Upload");
}

export const intakeTasks: readonly Task[] = [
  {
    title:
      "upload a file with a wrong column and a wrong row, correct the mapping, and repair the file",
    most: [7, 8, 5],
    withoutScript: true,
    run: async ({ scene: { service, acme }, way, as }) => {
      const id = `uploaded by ${way}`;
      const text =
        "person_id,is_test_user,is_retail_customer,naem,timestamp\n" +
        `${id},false,true,Ada Lovelace,2026-01-31T09:30:00Z\n` +
        `${id}-2,perhaps,true,Bo,2026-01-31T09:30:00Z\n`;
      const hands = await as("anna");
      await upload(hands, { name: "people.csv", text });
      await hands.see("1 of 5 columns");
      await hands.see("did you mean name?");
      await hands.write("Field for the column naem", "name");
      await hands.press("Show the rows with these fields");
      await hands.see("Every column has a field");
      await hands.see("Ada Lovelace");
      await hands.press("Import the file");
      await hands.see("1 of 2 rows would be refused");
      await hands.see("is_test_user must be true or false");
      const repaired = { name: "repaired.csv", text: text.replace("perhaps", "false") };
      await hands.attach("Repaired file, with the same columns", repaired);
      await hands.press("Upload the repaired file");
      await hands.see("Every column has a field");
      await hands.press("Import the file");
      await hands.see("The whole file was imported");
      await hands.press("Remove the file from the server");
      const get = { method: "GET", path: "/v2/person", query: { person_id: id } } as const;
      const { status } = await service.client.send({ ...get, token: acme.token });
      assert.equal(status, 200);
    },
  },
  {
    title: "watch an import, and see its result",
    most: [4, 5, 3],
    run: async ({ scene: { service }, way, as }) => {
      const rows = Array.from(
        { length: 750 },
        (_, at) => `${way} ${at},false,true,2026-01-31T09:30:00Z\n`,
      );
      const text = `person_id,is_test_user,is_retail_customer,timestamp\n${rows.join("")}`;
      const hands = await as("anna");
      await upload(hands, { name: "many.csv", text });
      // Two of its three lists are written at once.
      const first = service.holdStore("writeRecords", 2);
      await hands.press("Import the file");
      await first.called;
      await hands.see(/ 0 written/);
      await hands.page.evaluate("document.title = 'not reloaded'");
      first.release();
      const last = service.holdStore("writeRecords");
      await hands.see(/ 500 written/);
      assert.notEqual(await hands.page.getByRole("progressbar").getAttribute("value"), "0.000");
      assert.equal(await hands.page.title(), "not reloaded");
      last.release();
      await hands.see("The whole file was imported");
      await hands.press("Remove the file from the server");
    },
  },
];
