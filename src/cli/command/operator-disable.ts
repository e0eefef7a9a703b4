// `sluice operator disable`

import { disableOperator } from "../../actions/operator/disable-operator.ts";
import { defineStoreCommand, required } from "../command.ts";
import { text } from "../input/kinds.ts";
import { describeOperator, viewOperator } from "../output/operator-view.ts";

export const operatorDisable = defineStoreCommand({
  name: "operator disable",
  summary: "Disable an operator for good. Sessions end at once.",
  details:
    "Passkeys and sign-in links of the operator stop working, and so does --as with the name. The name stays in the audit trail " +
    "and can't be used again.",
  examples: ["sluice operator disable anna"],
  rights: ["operator.disable"],
  arguments: { name: required(text("NAME"), "The operator.") },
  run: async (app, { name }) => {
    const operator = await disableOperator(app, name);
    return { json: viewOperator(operator), text: describeOperator(operator) };
  },
});
