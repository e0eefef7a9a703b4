// The state of what somebody else works on, as JSON: the script of a page asks for it each second, and loads the page
// again when the state is another one than the page shows.

import { readState } from "../../actions/deletion/show-deletion.ts";
import { readProposalStatus } from "../../actions/proposal/proposals.ts";
import { jsonReply, type Person } from "../page.ts";

export async function followDeletion({ app, id, query }: Person) {
  return jsonReply({ end: (await readState(app, id)) !== query.get("state") });
}

export async function followProposal({ app, id, query }: Person) {
  return jsonReply({ end: (await readProposalStatus(app, id)) !== query.get("state") });
}
