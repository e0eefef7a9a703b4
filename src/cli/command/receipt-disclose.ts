// `sluice receipt disclose`

import { discloseReceipt } from "../../actions/deletion/disclose-receipt.ts";
import { defineStoreCommand, optional, required } from "../command.ts";
import { confidentialOptions } from "../input/confidential.ts";
import { text, typeList } from "../input/kinds.ts";

export const receiptDisclose = defineStoreCommand({
  name: "receipt disclose",
  summary: "Print the numbers of a receipt with their salts, for somebody who has the receipt.",
  details:
    "A receipt contains a hash for each number, so it can be passed on without saying what was erased. With the output of this " +
    "command, `sluice receipt verify --disclosures` proves the numbers. It leaves out confidential types, such as customer_sar, " +
    "unless --include-confidential is given: to disclose that a report was filed is an offence in many countries. Each use is " +
    "written to the audit trail.",
  examples: [
    "sluice receipt disclose del_4fQ2mN8sT1vXc7Za > numbers.json",
    "sluice receipt disclose del_4fQ2mN8sT1vXc7Za --types customer_sar --include-confidential",
  ],
  rights: ["receipt.disclose"],
  arguments: { id: required(text("DELETION_REQUEST_ID"), "The completed deletion.") },
  options: {
    types: optional(typeList, "Only numbers of these record types, separated by commas."),
    ...confidentialOptions,
  },
  run: async (app, { id, types, includeConfidential }) => {
    const document = await discloseReceipt(app, {
      deletionRequestId: id,
      types,
      includeConfidential,
    });
    return { json: document, text: JSON.stringify(document, null, 2) };
  },
});
