// Operators, their passkeys and sessions, and tokens of one use; the same on every engine.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Operator } from "../../src/domain/operator.ts";
import type { OneTimeToken, SignIn } from "../../src/store/interface/operators.ts";
import { type Engine, useSite } from "./engine.ts";
import { acme, bytesOf, draftOf, keyOf, operator as act, organization } from "./scene.ts";
import type { TestStore } from "../support/test-store.ts";

const minute = 60_000;
const at = act.now;

function person(name: string): Operator {
  const roles = ["officer", "auditor"] as const;
  return { operatorId: `op_${name}`, name, roles, createdAt: at, disabledAt: undefined };
}

function signIn(id: string, now = at): SignIn {
  const session = {
    sessionId: `ses_${id}`,
    tokenHash: bytesOf(`session ${id}`),
    method: "link" as const,
    createdAt: now,
    expiresAt: now + 10 * minute,
  };
  return { session, act: { actor: "anna", now } };
}

function link(id: string, operatorId: string) {
  const token = { tokenHash: bytesOf(`link ${id}`), purpose: "link", operatorId } as const;
  return { ...token, expiresAt: at + minute } satisfies OneTimeToken;
}

export function testOperators(engine: Engine): void {
  describe(`${engine.name}: operators`, () => {
    const site = useSite(engine);
    let store: TestStore;
    const [anna, ben] = [person("anna"), person("ben")];
    before(async () => {
      store = site().store;
      assert.equal(await store.operators.create(ben, act), true);
      assert.equal(await store.operators.create(anna, act), true);
    });

    it("have names of their own, and are listed by them", async () => {
      const again = { ...person("anna"), operatorId: "op_again" };
      assert.equal(await store.operators.create(again, act), false);
      assert.deepEqual(await store.operators.findByName("anna"), anna);
      assert.equal(await store.operators.findByName("Anna"), undefined);
      const none = { passkeys: 0, sessions: 0 };
      assert.deepEqual(await store.operators.list(at), [
        { ...anna, ...none },
        { ...ben, ...none },
      ]);
    });

    it("who are new officers are no second person before another officer has confirmed them", async () => {
      const { operators } = store;
      const by = (actor: string) => ({ actor, now: at + 1 });
      const since = (name: string) =>
        operators.findByName(name).then((found) => found?.unconfirmedSince);
      const carla: Operator = { ...person("carla"), unconfirmedSince: at, unconfirmedBy: "adam" };
      await operators.create(carla, { actor: "adam", now: at });
      await store.createOrganization(organization(acme, { deletionApproval: true }), act);
      await store.add("transaction", "approved");
      const id = await store.request(keyOf("transaction", "approved"), { actor: "anna" });
      assert.equal(await store.proposals.approveDeletion(id, by("carla")), "no_such_person");
      for (const actor of ["carla", "nobody"]) {
        assert.equal(await operators.confirm("op_carla", by(actor)), "no_such_person", actor);
      }
      await operators.create(person("adam"), act);
      assert.equal(await operators.confirm("op_carla", by("adam")), "not_by_this_person");
      assert.equal(await operators.confirm("op_none", by("ben")), "not_by_this_person");
      await operators.createLink(link("unused", "op_carla"), { ...act, shell: true });
      assert.equal(typeof (await operators.confirm("op_carla", by("ben"))), "object");
      assert.equal(await operators.findLink(bytesOf("link unused"), at), undefined);
      assert.equal(await since("carla"), undefined);
      assert.equal(await operators.confirm("op_carla", by("ben")), "not_by_this_person");
      // A link of an administrator ends it, one of the shell does not.
      await operators.createLink(link("shell", "op_carla"), { ...act, shell: true });
      assert.equal(await since("carla"), undefined);
      const administrator = { actor: "adam", now: at + 2, proposalId: "prp_none" };
      await operators.createLink(link("again", "op_carla"), administrator);
      assert.equal(await since("carla"), at + 2);
      assert.equal(await store.proposals.approveDeletion(id, by("carla")), "no_such_person");
      const shell = { actor: "adam", now: at + 3, shell: true };
      assert.equal(typeof (await operators.confirm("op_carla", shell)), "object");
      const last = (await store.listAudit(0, 1_000)).at(-1);
      assert.deepEqual([last?.action, last?.detail], ["operator.confirm", { by: "shell" }]);
      assert.equal(typeof (await store.proposals.approveDeletion(id, by("carla"))), "object");
      await store.cancelDeletion(id, act);
    });

    it("are bound to one identity, and have the roles of their last sign-in with it", async () => {
      const { operators } = store;
      const identity = { issuer: "https://login.example.com", subject: "1" };
      const zoe = { ...person("zoe"), identity };
      assert.equal(await operators.create(zoe, act), true);
      const other = { ...person("other"), identity };
      assert.equal(await operators.create(other, act), false);
      assert.equal(await operators.findByName("other"), undefined);
      assert.deepEqual(await operators.findByIdentity(identity), zoe);
      const elsewhere = { ...identity, issuer: "https://other.example.com" };
      assert.equal(await operators.findByIdentity(elsewhere), undefined);

      assert.equal(await operators.useIdentity(zoe.operatorId, ["viewer"], signIn("zoe")), true);
      const found = await operators.findSession(bytesOf("session zoe"), at);
      assert.deepEqual(found?.operator.roles, ["viewer"]);
      assert.equal(await operators.useIdentity(zoe.operatorId, [], signIn("none")), false);
      assert.equal(await operators.findSession(bytesOf("session zoe"), at), undefined);
      assert.equal(await operators.findSession(bytesOf("session none"), at), undefined);
      assert.equal(await operators.useIdentity("op_none", ["viewer"], signIn("none")), false);
      await operators.disable(zoe.operatorId, act);
      assert.equal(await operators.useIdentity(zoe.operatorId, ["viewer"], signIn("z")), false);
    });

    it("sign in by a link once, and not after it has expired", async () => {
      const { operators } = store;
      await operators.createLink(link("replaced", anna.operatorId), act);
      await operators.createLink(link("a", anna.operatorId), act);
      assert.equal(await operators.findLink(bytesOf("link replaced"), at), undefined);
      assert.deepEqual(await operators.findLink(bytesOf("link a"), at), anna);
      assert.equal(await operators.useLink(bytesOf("link a"), signIn("x", at + minute)), undefined);
      const outcomes = await Promise.all([
        operators.useLink(bytesOf("link a"), signIn("a")),
        operators.useLink(bytesOf("link a"), signIn("b")),
      ]);
      assert.deepEqual(
        outcomes.filter((found) => found !== undefined),
        [anna],
      );
      const sessions = await operators.listSessions(anna.operatorId, at);
      assert.equal(sessions.length, 1);
    });

    it("have up to 20 sessions, of which signing in once more ends the oldest", async () => {
      const { operators } = store;
      const dora = person("dora");
      await operators.create(dora, act);
      const ids = Array.from({ length: 22 }, (_, no) => `d${String(no).padStart(2, "0")}`);
      for (const [no, id] of ids.entries()) {
        await operators.createLink(link(id, dora.operatorId), act);
        await operators.useLink(bytesOf(`link ${id}`), signIn(id, at + no));
      }
      const sessions = await operators.listSessions(dora.operatorId, at);
      assert.deepEqual(
        new Set(sessions.map(({ session }) => session.sessionId)),
        new Set(ids.slice(2).map((id) => `ses_${id}`)),
      );
      const trail = await store.listAudit(0, 1_000);
      const ended = trail.filter(({ action }) => action === "operator.session_end");
      assert.deepEqual(
        ended.map(({ detail }) => detail["sessionId"]),
        ["ses_d00", "ses_d01"],
      );
      await operators.disable(dora.operatorId, act);
    });

    it("have sessions that end at their time, and when they are ended", async () => {
      const { operators } = store;
      await operators.createLink(link("c", ben.operatorId), act);
      await operators.useLink(bytesOf("link c"), signIn("c"));
      const found = await operators.findSession(bytesOf("session c"), at);
      assert.deepEqual(found?.operator, ben);
      assert.equal(await operators.findSession(bytesOf("session c"), at + 10 * minute), undefined);
      assert.equal(await operators.findSession(bytesOf("session none"), at), undefined);
      assert.equal(await operators.endSession("ses_c", anna.operatorId, act), false);
      assert.equal(await operators.endSession("ses_c", ben.operatorId, act), true);
      assert.equal(await operators.endSession("ses_c", undefined, act), false);
      assert.equal(await operators.findSession(bytesOf("session c"), at), undefined);
    });

    it("have no sessions and links any more after a restore, which could bring them back", async () => {
      const { operators } = store;
      for (const id of ["d", "e"]) {
        await operators.createLink(link(id, ben.operatorId), act);
        if (id === "d") await operators.useLink(bytesOf("link d"), signIn("d"));
      }
      await store.replay.takeOver(2 ** 40);
      assert.equal(await operators.findSession(bytesOf("session d"), at), undefined);
      assert.equal(await operators.findLink(bytesOf("link e"), at), undefined);
    });

    it("use a challenge once, and only so many at a time, each person apart", async () => {
      const { operators } = store;
      const use = (id: string, operatorId: string, now = at) => {
        const expiresAt = now + minute;
        const tokenHash = bytesOf(`challenge ${id}`);
        return operators.useChallenge(
          { tokenHash, purpose: "record_reading", operatorId, expiresAt },
          now,
        );
      };
      const first = await Promise.all([use("0", anna.operatorId), use("0", anna.operatorId)]);
      assert.deepEqual(new Set(first), new Set([false, true]));
      assert.equal(await use("0", ben.operatorId), false);
      for (let id = 1; id < 1_000; id += 1) {
        assert.equal(await use(String(id), anna.operatorId), true);
      }
      assert.equal(await use("1000", anna.operatorId), false);
      assert.equal(await use("1000", ben.operatorId), true);
      assert.equal(await use("1001", anna.operatorId, at + minute), true);
    });

    it("sign in by a passkey whose count rises, or is always zero", async () => {
      const { operators } = store;
      const passkey = {
        credentialId: "cred",
        operatorId: anna.operatorId,
        publicKey: bytesOf("key"),
        signCount: 3,
        transports: ["usb"],
        name: "laptop",
        createdAt: at,
        lastUsedAt: undefined,
      };
      const zero = { ...passkey, credentialId: "zero", signCount: 0 };
      assert.equal(await operators.addPasskey(passkey, act), true);
      assert.equal(await operators.addPasskey({ ...passkey, operatorId: "op_ben" }, act), false);
      assert.equal(await operators.addPasskey(zero, act), true);
      const held = await operators.findPasskey("cred");
      assert.deepEqual(held?.operator, anna);
      assert.equal(held?.passkey.name, "laptop");
      assert.deepEqual(Buffer.from(held?.passkey.publicKey ?? []), Buffer.from(passkey.publicKey));
      assert.equal(await operators.usePasskey("cred", 3, signIn("d")), false);
      assert.equal(await operators.usePasskey("cred", 4, signIn("e")), true);
      assert.equal(await operators.usePasskey("zero", 0, signIn("f")), true);
      assert.equal(await operators.usePasskey("zero", 0, signIn("g")), true);
      assert.equal(await operators.removePasskey("zero", "op_ben", act), false);
      assert.equal(await operators.removePasskey("zero", anna.operatorId, act), true);
      assert.equal((await operators.listPasskeys(anna.operatorId)).length, 1);
    });

    it("have nothing left to sign in with when they are disabled", async () => {
      const { operators } = store;
      await operators.createLink(link("h", anna.operatorId), act);
      const disabled = await operators.disable(anna.operatorId, { ...act, now: at + 1 });
      assert.equal(disabled?.disabledAt, at + 1);
      assert.deepEqual(await operators.disable(anna.operatorId, { ...act, now: at + 2 }), disabled);
      assert.equal(await operators.findLink(bytesOf("link h"), at), undefined);
      assert.equal(await operators.findPasskey("cred"), undefined);
      assert.equal(await operators.findSession(bytesOf("session e"), at), undefined);
      assert.deepEqual(await operators.listSessions(anna.operatorId, at), []);
      assert.equal(await operators.create({ ...anna, operatorId: "op_new" }, act), false);
      assert.equal(await operators.disable("op_none", act), undefined);
    });

    it("are in the audit trail, without any secret", async () => {
      const entries = await store.listAudit(0, 100);
      const actions = new Set(entries.map(({ action }) => action));
      for (const action of ["create", "link", "sign_in", "passkey_add", "session_end", "disable"]) {
        assert.ok(actions.has(`operator.${action}`), action);
      }
      assert.equal((await store.checkIntegrity()).ok, true);
    });

    it("read the history and the relations of a record in parts, and its open deletion", async () => {
      const company = keyOf("company", "views");
      await store.add("company", "views");
      for (const id of ["a", "b", "c"]) {
        await store.add("person", id, { related_company_id: "views" });
      }
      await store.write(draftOf("person", "a", { related_company_id: "other" }), {
        resourceType: "person",
        mode: "update",
      });
      const { overview } = store;
      const all = (await store.changesOf(keyOf("person", "a"))).toReversed();
      const part = { ...keyOf("person", "a"), before: undefined, limit: 5 };
      assert.deepEqual(await overview.readHistoryPart(part), all);
      assert.deepEqual(await overview.readHistoryPart({ ...part, limit: 1 }), all.slice(0, 1));
      const last = all[0]?.changeNo;
      assert.deepEqual(await overview.readHistoryPart({ ...part, before: last }), all.slice(1));
      const page = { ...company, fromType: "person", after: undefined, limit: 2 };
      const idsAfter = async (after: string | undefined) =>
        (await overview.listReferrersOfType({ ...page, after })).map((one) => one.resourceId);
      assert.deepEqual([await idsAfter(undefined), await idsAfter("b")], [["a", "b"], ["c"]]);
      assert.deepEqual(await overview.listReferrersOfType({ ...page, fromType: "company" }), []);
      const mentioned = { resourceType: "company", kind: "mentions" };
      assert.deepEqual(
        new Set(await overview.listReferences(keyOf("person", "a"), 5)),
        new Set(["views", "other"].map((resourceId) => ({ ...mentioned, resourceId }))),
      );
      assert.equal((await overview.listReferences(keyOf("person", "a"), 1)).length, 1);
      assert.deepEqual(await overview.listReferences(keyOf("person", "a", "org_none"), 5), []);
      assert.equal(await overview.findOpenDeletion(company), undefined);
      const id = await store.request(company, { dueAt: 10 * at });
      assert.equal(await overview.findOpenDeletion(company), id);
      await store.cancelDeletion(id, act);
      assert.equal(await overview.findOpenDeletion(company), undefined);
    });

    it("count open deletions, find the last backup, and know the size of the store", async () => {
      const query = { hiddenTypes: ["person"], ofClosed: true, countedMax: 10, now: at };
      const queue = await store.overview.deletionQueue(query);
      const none = { open: 0, overdue: 0, oldestDueAt: undefined };
      assert.deepEqual(queue, none);
      assert.equal(await store.overview.lastBackup(), undefined);
      const note = {
        action: "store.backup" as const,
        organizationId: undefined,
        subject: "s",
        detail: {},
      };
      await store.trail.note(note, { actor: "first", now: at });
      await store.trail.note(note, { actor: "last", now: at });
      assert.equal((await store.overview.lastBackup())?.actor, "last");
      assert.ok((await store.overview.sizeBytes()) > 10_000);
    });
  });
}
