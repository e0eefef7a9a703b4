// Every action that the console or the command line calls checks a right, or is listed here with the reason why it need
// not. So a new action without a right fails.

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { describe, it } from "node:test";
import { samples } from "../feature/samples.ts";

const found = "only finds what an action with a right is about";
const own = "concerns only the account of the person who asks";
const signIn = "is how somebody signs in";
const begun = "continues what an action with a right has begun";
const partly = "checks the right inside";
const open = "says what the service publishes to anybody";

const withoutRight: Readonly<Record<string, string>> = {
  "access/change-organization requireFloorsWithin": found,
  "access/close-organization findClosable": found,
  "access/find-organization findOrganization": found,
  "access/find-organization findOrganizationId": partly,
  "access/find-organization requireOrganization": found,
  "deletion/decide-deletions changeAll": partly,
  "deletion/list-deletions countDeletions": partly,
  "deletion/list-deletions countWaiting": partly,
  "deletion/show-deletion readDeletionDetails": partly,
  "deletion/show-deletion readReceipt": partly,
  "ledger/watch-store makeStoreCheck": begun,
  "operator/challenge isChallenge": signIn,
  "operator/challenge makeChallenge": signIn,
  "operator/challenge useChallenge": signIn,
  "operator/operators findActiveOperator": found,
  "operator/identity beginAttempt": signIn,
  "operator/identity completeAttempt": signIn,
  "operator/operators listPeople": partly,
  "operator/passkey addPasskey": own,
  "operator/passkey findPasskey": signIn,
  "operator/passkey listPasskeys": own,
  "operator/passkey removePasskey": own,
  "operator/passkey signInWithPasskey": signIn,
  "operator/session endOwnSession": own,
  "operator/session enterSession": signIn,
  "operator/session listOwnSessions": own,
  "operator/sign-in-link readSignInLink": signIn,
  "operator/sign-in-link useSignInLink": signIn,
  "receipt/manifest makeManifestBody": begun,
  "receipt/manifest sealManifest": begun,
  "proposal/second-person statusOf": begun,
  "receipt/list-receipts mayListReceipts": partly,
  "receipt/receipt-keys publishReceiptKeys": open,
  "record/export-records exportHistory": begun,
  "record/find-named-record findDeletion": found,
  "record/relations readRelations": begun,
  "record/view-record usePermission": partly,
  "record/view-record viewRecord": partly,
  "retention/holds requireListable": found,
  "retention/preview-retention requireFuture": found,
  "retention/retention-rules previewRule": partly,
  "retention/retention-rules previewRules": partly,
  "retention/retention-rules setRule": partly,
  "retention/holds stateOf": begun,
  "retention/restricted-sets hasRestrictedSets": partly,
  "upkeep/clock describeClockJump": begun,
  "upkeep/store-upkeep describeStore": open,
  ...Object.assign({}, ...samples.map((one) => one.withoutRight)),
};

const check = /\b(?:require\w*Right\w*|auditAccess|requireAudit|requireReceipts|requireFindable)\(/;

interface Action {
  readonly name: string;
  readonly body: string;
}

/** The functions of actions and of features that console and command line import and that are given the application. */
function findActions(): readonly Action[] {
  const byName = new Map<string, string>();
  for (const path of globSync([
    "src/{console,cli,bulk,noun}/**/*.ts",
    "src/feature/**/{commands,console,noun,*pages}.ts",
  ])) {
    const imports = readFileSync(path, "utf8").matchAll(/import \{([^}]*)\} from "(\.[^"]+)"/g);
    for (const [, names = "", specifier = ""] of imports) {
      const file = posix.join(posix.dirname(path.replaceAll("\\", "/")), specifier);
      const [, place] = /^src\/(?:actions|feature)\/(.+)\.ts$/.exec(file) ?? [];
      if (place === undefined) continue;
      for (const name of names.split(",").map((one) => one.trim())) {
        const body = findBody(readFileSync(file, "utf8"), name);
        if (body === undefined || !takesApp(body)) continue;
        byName.set(`${place} ${name}`, body);
      }
    }
  }
  const known = new Set(["app", "operator/viewer"]);
  return [...byName]
    .filter(([name]) => !known.has(name.split(" ")[0] ?? ""))
    .map(([name, body]) => ({ name, body }));
}

function findBody(source: string, name: string): string | undefined {
  const begin = new RegExp(`^export (?:async )?function\\*? ${name}\\(`, "m").exec(source)?.index;
  return begin === undefined ? undefined : source.slice(begin, source.indexOf("\n}\n", begin));
}

function takesApp(body: string): boolean {
  return /^[^{]*\bapp: /.test(body) || /^.*?\}: (?:App|Pick<App)/s.test(body.slice(0, 200));
}

describe("the actions that people start", () => {
  const actions = findActions();

  it("check a right, or have a reason not to", () => {
    const missing = actions
      .filter(({ name, body }) => !check.test(body) && !Object.hasOwn(withoutRight, name))
      .map(({ name }) => name);
    assert.deepEqual(missing, []);
  });

  it("have no reason that nothing needs any more", () => {
    const unchecked = actions.filter(({ body }) => !check.test(body));
    const needing = new Set(unchecked.map(({ name }) => name));
    assert.deepEqual(
      Object.keys(withoutRight).filter((name) => !needing.has(name)),
      [],
    );
    assert.ok(actions.length > 60, String(actions.length));
  });
});
