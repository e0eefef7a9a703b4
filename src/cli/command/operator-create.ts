// `sluice operator create`

import { createOperator } from "../../actions/operator/create-operator.ts";
import { operatorRoles } from "../../domain/operator.ts";
import { defineStoreCommand, required, several } from "../command.ts";
import { choice, text } from "../input/kinds.ts";
import { describeOperator, viewOperator } from "../output/operator-view.ts";

export const operatorCreate = defineStoreCommand({
  name: "operator create",
  summary: "Create an operator: a person who uses the console, or is named with --as.",
  details:
    "The name is the actor in the audit trail. It can't be changed, and can't be used again for somebody else. What each role " +
    "may do is in docs/reference/operator-rights.md; a person with several roles may do what any of them may.",
  examples: [
    "sluice operator create anna --role officer",
    'sluice operator create "Zoë Müller" --role viewer --role auditor',
  ],
  rights: ["operator.create"],
  arguments: { name: required(text("NAME"), "Name of the person.") },
  options: {
    role: several(choice("ROLE", operatorRoles), "Role of the person; may be repeated."),
  },
  run: async (app, { name, role }) => {
    const operator = await createOperator(app, { name, roles: role });
    return {
      json: viewOperator(operator),
      text:
        `${describeOperator(operator)}\n\n` +
        `Next, create a link by which this person signs in: sluice operator link ${quote(name)}`,
    };
  },
});

function quote(name: string): string {
  return name.includes(" ") ? `"${name}"` : name;
}
