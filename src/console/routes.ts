// The console of the core on one screen: every page and every form as a row, with the right that it needs. The actions
// check the right again. src/process/console-routes.ts adds the pages of features.

import { deletionApprove, deletionCancel } from "../noun/deletion.ts";
import { holdPage } from "../noun/hold.ts";
import { keyCreate, keyPage } from "../noun/key.ts";
import { approvalForm, closeForm, organizationCreate, settingsForm } from "../noun/organization.ts";
import { operatorPage, operatorsPage } from "../noun/operator.ts";
import { proposalPage, proposalsPage } from "../noun/proposal.ts";
import { act, read, routeOf, routesOf, send } from "./route.ts";
import type { Person, Route } from "./page.ts";
import {
  addPasskey,
  endSession,
  offerPasskeyToAdd,
  removeOwnPasskey,
  revokeAnySession,
  showAccount,
  signOut,
} from "./page/account.ts";
import { changeBulk, showBulk } from "./page/bulk-deletions.ts";
import { showDeletion, showReceipt } from "./page/deletion.ts";
import { showDeletions } from "./page/deletions.ts";
import { downloadReport, showErasures } from "./page/erasures.ts";
import { listRestricted, showOneSet, showRestricted } from "./page/restricted.ts";
import { showFind } from "./page/find.ts";
import { placeOne, showHolds } from "./page/holds.ts";
import { showHealth } from "./page/health.ts";
import { showIntake } from "./page/intake.ts";
import { organizationPath, showOrganization } from "./page/organization.ts";
import { chooseOne, showOrganizations } from "./page/organizations.ts";
import { downloadTrail, showAudit, verifyTrail } from "./page/audit.ts";
import {
  acceptAnswer,
  leaveForIssuer,
  offerPasskey,
  showLink,
  showSignIn,
  useLink,
  usePasskey,
} from "./page/sign-in.ts";
import { showOverview } from "./page/overview.ts";
import { followDeletion, followProposal } from "./page/follow.ts";
import { revealRecord, showRecord } from "./page/record.ts";
import { requestOne, showDeletionForm } from "./page/request-deletion.ts";
import { setCeiling, showRetention } from "./page/retention.ts";
import { setOneRule } from "./page/retention-rule.ts";

export const routes: readonly Route[] = [
  { method: "GET", path: "/console/sign-in", open: true, handle: showSignIn },
  { method: "GET", path: "/console/link", open: true, handle: showLink },
  { method: "POST", path: "/console/link", open: true, handle: useLink },
  { method: "POST", path: "/console/passkey/options", open: true, handle: offerPasskey },
  { method: "POST", path: "/console/passkey", open: true, handle: usePasskey },
  { method: "POST", path: "/console/openid", open: true, handle: leaveForIssuer },
  { method: "GET", path: "/console/openid/answer", open: true, handle: acceptAnswer },
  act("/console/sign-out", "own", signOut),
  read("/console", "overview.read", showOverview),
  read("/console/deletions", "deletion.read", showDeletions),
  ...(["cancel", "approve"] as const).flatMap((name) => {
    const [path, right] = [`/console/deletions/${name}`, `deletion.${name}`] as const;
    const show = (person: Person) => showBulk(person, name);
    return [
      read(path, right, show),
      act(path, right, (person, form) => changeBulk(person, form, name), show),
    ];
  }),
  read("/console/deletion/:id", "deletion.read", showDeletion),
  routeOf(deletionCancel, showDeletion, "/console/deletion/:id"),
  read("/console/deletion/:id/progress", "deletion.read", followDeletion),
  routeOf(deletionApprove, showDeletion, "/console/deletion/:id"),
  read("/console/receipt/:id", "deletion.read", showReceipt),
  read("/console/find", "record.find", showFind),
  read("/console/record", "record.find", showRecord),
  act("/console/record/reading", "record.show", revealRecord, showRecord),
  read("/console/record/deletion", "deletion.request", showDeletionForm),
  act("/console/record/deletion", "deletion.request", requestOne, showDeletionForm),
  act("/console/record/hold", "hold.place", placeOne, showRecord),
  read("/console/holds", "hold.read", showHolds),
  ...routesOf("/console/hold/:id", "hold.read", holdPage),
  read("/console/retention", "retention.read", showRetention),
  act("/console/retention/ceiling", "retention.set", setCeiling, showRetention),
  act("/console/retention/rule", "retention.set", setOneRule, showRetention),
  ...routesOf("/console/proposals", "proposal.read", proposalsPage),
  ...routesOf("/console/proposal/:id", "proposal.read", proposalPage),
  read("/console/proposal/:id/progress", "proposal.read", followProposal),
  read("/console/organizations", "organization.read", showOrganizations),
  routeOf(organizationCreate, showOrganizations),
  act("/console/organizations/choice", "own", chooseOne, showOrganizations),
  read(organizationPath, "organization.read", showOrganization),
  ...[settingsForm, approvalForm, keyCreate, closeForm].map((form) =>
    routeOf(form, showOrganization, organizationPath),
  ),
  ...routesOf("/console/key/:id", "key.read", keyPage),
  ...routesOf("/console/operators", "operator.read", operatorsPage),
  ...routesOf("/console/operator/:id", "operator.read", operatorPage),
  read("/console/audit", "audit.read", showAudit),
  act("/console/audit/verify", "audit.read", verifyTrail, showAudit),
  act("/console/audit/download", "audit.read", downloadTrail),
  read("/console/restricted", "restricted.list", showRestricted),
  act("/console/restricted", "restricted.list", listRestricted, showRestricted),
  act("/console/restricted/set", "restricted.show", showOneSet, showRestricted),
  read("/console/erasures", "deletion.read", showErasures),
  act("/console/erasures/download", "deletion.read", downloadReport, showErasures),
  read("/console/intake", "intake.read", showIntake),
  read("/console/health", "health.read", showHealth),
  read("/console/account", "own", showAccount),
  send("/console/account/passkey/options", "own", offerPasskeyToAdd),
  send("/console/account/passkey", "own", addPasskey),
  act("/console/account/passkey/remove", "own", removeOwnPasskey),
  act("/console/account/session/end", "own", endSession),
  act("/console/session/revoke", "session.revoke", revokeAnySession),
];
