// The console on one screen: every page and every form as a row, with the right that it needs. The actions check the right
// again.

import type { Route } from "./request.ts";
import {
  addPasskey,
  endSession,
  offerPasskeyToAdd,
  removeOwnPasskey,
  revokeAnySession,
  showAccount,
  signOut,
} from "./page/account.ts";
import { approveAll, cancelAll, showBulkApprove, showBulkCancel } from "./page/bulk-deletions.ts";
import { approveOne, cancelOne, showDeletion, showReceipt } from "./page/deletion.ts";
import { showDeletions } from "./page/deletions.ts";
import { showFind } from "./page/find.ts";
import { placeOne, releaseOne, showHold, showHolds } from "./page/holds.ts";
import { showHealth } from "./page/health.ts";
import { showIntake } from "./page/intake.ts";
import { createOneKey, revokeOne, rotateOne, showKey } from "./page/keys.ts";
import { changeApproval, changeSettings, closeOne, showOrganization } from "./page/organization.ts";
import { createOne, showOrganizations } from "./page/organizations.ts";
import { downloadTrail, showAudit, verifyTrail } from "./page/audit.ts";
import { acceptAnswer, leaveForIssuer } from "./page/openid.ts";
import { downloadAllReceipts, showReceipts, verifyOne } from "./page/receipts.ts";
import { showOverview } from "./page/overview.ts";
import { revealRecord, showRecord } from "./page/record.ts";
import { requestOne, showDeletionForm } from "./page/request-deletion.ts";
import { setCeiling, setOneFloor, showRetention } from "./page/retention.ts";
import { offerPasskey, showLink, showSignIn, useLink, usePasskey } from "./page/sign-in.ts";
import {
  chooseColumns,
  discardUpload,
  downloadRefused,
  followImport,
  receiveUpload,
  showUpload,
  startImport,
  stopImport,
} from "./page/upload.ts";

export const routes: readonly Route[] = [
  { method: "GET", path: "/console/sign-in", open: true, handle: showSignIn },
  { method: "GET", path: "/console/link", open: true, handle: showLink },
  { method: "POST", path: "/console/link", open: true, handle: useLink },
  { method: "POST", path: "/console/passkey/options", open: true, handle: offerPasskey },
  { method: "POST", path: "/console/passkey", open: true, handle: usePasskey },
  { method: "POST", path: "/console/openid", open: true, handle: leaveForIssuer },
  { method: "GET", path: "/console/openid/answer", open: true, handle: acceptAnswer },
  { method: "POST", path: "/console/sign-out", right: "own", handle: signOut },
  { method: "GET", path: "/console", right: "overview.read", handle: showOverview },
  { method: "GET", path: "/console/deletions", right: "deletion.read", handle: showDeletions },
  {
    method: "GET",
    path: "/console/deletions/cancel",
    right: "deletion.cancel",
    handle: showBulkCancel,
  },
  {
    method: "POST",
    path: "/console/deletions/cancel",
    right: "deletion.cancel",
    handle: cancelAll,
  },
  {
    method: "GET",
    path: "/console/deletions/approve",
    right: "deletion.approve",
    handle: showBulkApprove,
  },
  {
    method: "POST",
    path: "/console/deletions/approve",
    right: "deletion.approve",
    handle: approveAll,
  },
  { method: "GET", path: "/console/deletion/:id", right: "deletion.read", handle: showDeletion },
  { method: "POST", path: "/console/deletion/:id", right: "deletion.cancel", handle: cancelOne },
  { method: "POST", path: "/console/approval/:id", right: "deletion.approve", handle: approveOne },
  { method: "GET", path: "/console/receipt/:id", right: "deletion.read", handle: showReceipt },
  { method: "GET", path: "/console/find", right: "record.find", handle: showFind },
  { method: "GET", path: "/console/record", right: "record.find", handle: showRecord },
  { method: "POST", path: "/console/record/reading", right: "record.show", handle: revealRecord },
  {
    method: "GET",
    path: "/console/record/deletion",
    right: "deletion.request",
    handle: showDeletionForm,
  },
  {
    method: "POST",
    path: "/console/record/deletion",
    right: "deletion.request",
    handle: requestOne,
  },
  { method: "POST", path: "/console/record/hold", right: "hold.place", handle: placeOne },
  { method: "GET", path: "/console/holds", right: "hold.read", handle: showHolds },
  { method: "GET", path: "/console/hold/:id", right: "hold.read", handle: showHold },
  { method: "POST", path: "/console/hold/:id", right: "hold.release", handle: releaseOne },
  { method: "GET", path: "/console/retention", right: "retention.read", handle: showRetention },
  {
    method: "POST",
    path: "/console/retention/ceiling",
    right: "retention.set",
    handle: setCeiling,
  },
  { method: "POST", path: "/console/retention/floor", right: "retention.set", handle: setOneFloor },
  {
    method: "GET",
    path: "/console/organizations",
    right: "organization.read",
    handle: showOrganizations,
  },
  {
    method: "POST",
    path: "/console/organizations",
    right: "organization.create",
    handle: createOne,
  },
  {
    method: "GET",
    path: "/console/organization/:id",
    right: "organization.read",
    handle: showOrganization,
  },
  {
    method: "POST",
    path: "/console/organization/:id",
    right: "organization.change",
    handle: changeSettings,
  },
  {
    method: "POST",
    path: "/console/organization/approval/:id",
    right: "deletion.require_approval",
    handle: changeApproval,
  },
  {
    method: "POST",
    path: "/console/organization/key/:id",
    right: "key.create",
    handle: createOneKey,
  },
  {
    method: "POST",
    path: "/console/organization/close/:id",
    right: "organization.close",
    handle: closeOne,
  },
  { method: "GET", path: "/console/key/:id", right: "key.read", handle: showKey },
  { method: "POST", path: "/console/key/rotate/:id", right: "key.rotate", handle: rotateOne },
  { method: "POST", path: "/console/key/revoke/:id", right: "key.revoke", handle: revokeOne },
  { method: "GET", path: "/console/audit", right: "audit.read", handle: showAudit },
  { method: "POST", path: "/console/audit/verify", right: "audit.read", handle: verifyTrail },
  { method: "POST", path: "/console/audit/download", right: "audit.read", handle: downloadTrail },
  { method: "GET", path: "/console/receipts", right: "deletion.read", handle: showReceipts },
  { method: "POST", path: "/console/receipts/verify", right: "deletion.read", handle: verifyOne },
  {
    method: "POST",
    path: "/console/receipts/download",
    right: "receipt.read",
    handle: downloadAllReceipts,
  },
  { method: "GET", path: "/console/intake", right: "intake.read", handle: showIntake },
  {
    method: "POST",
    path: "/console/upload",
    right: "records.import",
    lasting: true,
    handle: receiveUpload,
  },
  ...[
    { method: "GET", path: "/console/upload/:id", handle: showUpload } as const,
    { method: "POST", path: "/console/upload/:id", handle: chooseColumns } as const,
    { method: "POST", path: "/console/upload/:id/start", handle: startImport } as const,
    { method: "POST", path: "/console/upload/:id/stop", handle: stopImport } as const,
    { method: "POST", path: "/console/upload/:id/discard", handle: discardUpload } as const,
    { method: "GET", path: "/console/upload/:id/progress", handle: followImport } as const,
    { method: "GET", path: "/console/upload/:id/refused", handle: downloadRefused } as const,
  ].map((route) => ({ ...route, right: "records.import" }) as const),
  { method: "GET", path: "/console/health", right: "health.read", handle: showHealth },
  { method: "GET", path: "/console/account", right: "own", handle: showAccount },
  {
    method: "POST",
    path: "/console/account/passkey/options",
    right: "own",
    handle: offerPasskeyToAdd,
  },
  { method: "POST", path: "/console/account/passkey", right: "own", handle: addPasskey },
  {
    method: "POST",
    path: "/console/account/passkey/remove",
    right: "own",
    handle: removeOwnPasskey,
  },
  { method: "POST", path: "/console/account/session/end", right: "own", handle: endSession },
  {
    method: "POST",
    path: "/console/session/revoke",
    right: "session.revoke",
    handle: revokeAnySession,
  },
];
