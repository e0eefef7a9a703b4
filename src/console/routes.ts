// The console on one screen: every page and every form as a row. What a person may do is decided by the actions.

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
import { cancelOne, showDeletion, showDeletions, showReceipt } from "./page/deletions.ts";
import { showOverview } from "./page/overview.ts";
import { offerPasskey, showLink, showSignIn, useLink, usePasskey } from "./page/sign-in.ts";

export const routes: readonly Route[] = [
  { method: "GET", path: "/console/sign-in", open: true, handle: showSignIn },
  { method: "GET", path: "/console/link", open: true, handle: showLink },
  { method: "POST", path: "/console/link", open: true, handle: useLink },
  { method: "POST", path: "/console/passkey/options", open: true, handle: offerPasskey },
  { method: "POST", path: "/console/passkey", open: true, handle: usePasskey },
  { method: "POST", path: "/console/sign-out", handle: signOut },
  { method: "GET", path: "/console", handle: showOverview },
  { method: "GET", path: "/console/deletions", handle: showDeletions },
  { method: "GET", path: "/console/deletion/:id", handle: showDeletion },
  { method: "POST", path: "/console/deletion/:id", handle: cancelOne },
  { method: "GET", path: "/console/receipt/:id", handle: showReceipt },
  { method: "GET", path: "/console/account", handle: showAccount },
  { method: "POST", path: "/console/account/passkey/options", handle: offerPasskeyToAdd },
  { method: "POST", path: "/console/account/passkey", handle: addPasskey },
  { method: "POST", path: "/console/account/passkey/remove", handle: removeOwnPasskey },
  { method: "POST", path: "/console/account/session/end", handle: endSession },
  { method: "POST", path: "/console/session/revoke", handle: revokeAnySession },
];
