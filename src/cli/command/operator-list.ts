// `sluice operator list`

import { listOperators } from "../../actions/operator/find-operator.ts";
import { defineStoreCommand } from "../command.ts";
import { operatorColumns, viewOperator } from "../output/operator-view.ts";
import { renderTable } from "../output/table.ts";

export const operatorList = defineStoreCommand({
  name: "operator list",
  summary: "List operators with their roles, passkeys and sessions.",
  examples: ["sluice operator list"],
  rights: ["operator.read"],
  run: async (app, _, { paint }) => {
    const operators = await listOperators(app);
    return {
      json: {
        operators: operators.map(({ passkeys, sessions, ...operator }) => ({
          ...viewOperator(operator),
          passkeys,
          sessions,
        })),
      },
      text:
        operators.length === 0
          ? "There is no operator yet. Create one with: sluice operator create NAME --role ROLE"
          : renderTable(operatorColumns, operators, paint),
    };
  },
});
