// Every right by every role: the action does what it is for, or refuses, as the table says. A right that no action
// enforces fails here.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { App } from "../../../src/actions/app.ts";
import { approveDeletion, cancelDeletion } from "../../../src/actions/deletion/decide-deletions.ts";
import { type AccessAction, auditAccess } from "../../../src/actions/trail/audit-access.ts";
import { verifyAudit } from "../../../src/actions/trail/list-audit.ts";
import { readDeletionDetails } from "../../../src/actions/deletion/show-deletion.ts";
import { listReceipts } from "../../../src/actions/receipt/list-receipts.ts";
import { confirmClock } from "../../../src/actions/upkeep/clock.ts";
import { checkErasure } from "../../../src/actions/check/check-store.ts";
import { changeOrganization } from "../../../src/actions/access/change-organization.ts";
import { closeOrganization } from "../../../src/actions/access/close-organization.ts";
import { createKey, listKeys, revokeKey, rotateKey } from "../../../src/actions/access/keys.ts";
import { createOrganization } from "../../../src/actions/access/create-organization.ts";
import { discloseReceipt } from "../../../src/actions/receipt/disclose-receipt.ts";
import { countRecords } from "../../../src/actions/access/find-organization.ts";
import { rebuildIndexes } from "../../../src/actions/upkeep/build-indexes.ts";
import { findRecords } from "../../../src/actions/record/find-records.ts";
import { holdRecord, listHolds, releaseHold } from "../../../src/actions/retention/holds.ts";
import {
  confirmOperator,
  createOperator,
  disableOperator,
  listOperators,
} from "../../../src/actions/operator/operators.ts";
import { listSessions, revokeSession } from "../../../src/actions/operator/session.ts";
import { createSignInLink } from "../../../src/actions/operator/sign-in-link.ts";
import { OperatorError } from "../../../src/actions/operator/operator-error.ts";
import { readHealth } from "../../../src/actions/upkeep/read-health.ts";
import { readOverview } from "../../../src/actions/upkeep/read-overview.ts";
import { requestDeletionOf } from "../../../src/actions/deletion/request-as-operator.ts";
import {
  actAs,
  requireRight,
  showing,
  Viewer,
  viewerOf,
} from "../../../src/actions/operator/viewer.ts";
import { readRetention, setRule } from "../../../src/actions/retention/retention-rules.ts";
import { rotateReceiptKey } from "../../../src/actions/receipt/receipt-keys.ts";
import { showRecord } from "../../../src/actions/record/show-record.ts";
import { allRights } from "../../../src/process/tables.ts";
import { sampled } from "../../feature/samples.ts";
import { operatorRoles } from "../../../src/domain/operator.ts";
import { backUp, replayIfNeeded, restoreBackup } from "../../../src/process/restore.ts";
import { makeKey } from "../../../src/data-folder/receipt-key.ts";
import { approveProposal, showProposal } from "../../../src/actions/proposal/proposals.ts";
import { type Service, startService } from "../../support/service.ts";
import { StoreFaults } from "../../support/store-faults.ts";

const record = { organizationId: "acme", resourceType: "transaction", resourceId: "none" };
const sar = { ...record, resourceType: "customer_sar" };

function access(action: AccessAction) {
  return (app: App) =>
    auditAccess(app, action, { organizationId: "acme", subject: "acme", detail: {} });
}

/** What each right is for, on objects that do not exist where that is enough: refusal comes first. */
const uses: Readonly<Record<string, (app: App, service: Service) => unknown>> = {
  ...sampled("rights"),
  "overview.read": (app) => readOverview(app),
  "organization.read": (app) => countRecords(app, "none"),
  "intake.read": (app) => requireRight(app, "intake.read"),
  "health.read": (app) => readHealth(app),
  "organization.create": (app) => createOrganization(app, { name: "" }),
  "organization.change": (app) => changeOrganization(app, "acme", { name: "" }),
  "organization.close": (app) => closeOrganization(app, { organizationId: "none", reason: "r" }),
  "key.read": (app) => listKeys(app, "none"),
  "key.create": (app) => createKey(app, { organizationId: "none" }),
  "key.rotate": (app) => rotateKey(app, { keyId: "key_none", overlapMs: 0 }),
  "key.revoke": (app) => revokeKey(app, "key_none"),
  "record.find": (app) => findRecords(app, record),
  "record.show": (app) => showRecord(app, record),
  "records.export": access("records.export"),
  "subject.index": (app) => rebuildIndexes(app, []),
  "restricted.list": access("restricted.list"),
  "restricted.show": access("restricted.show"),
  "restricted.export": access("restricted.export"),
  "deletion.read": (app) => readDeletionDetails(app, "del_none"),
  "deletion.request": (app) => requestDeletionOf(app, { ...record, reason: "r" }),
  "deletion.cancel": (app) => cancelDeletion(app, "del_none"),
  // Without a name nobody can approve; the shell of the host has every other right.
  "deletion.approve": (app) =>
    app.viewer === undefined ? undefined : approveDeletion(app, "del_none"),
  "deletion.require_approval": (app) => changeOrganization(app, "none", { deletionApproval: true }),
  "proposal.read": (app) => showProposal(app, "prp_none"),
  "proposal.decide": (app) =>
    app.viewer === undefined ? undefined : approveProposal(app, "prp_none"),
  "deletion.replay": ({ operator: as }, { config }) =>
    replayIfNeeded(config, { sources: [], operator: as, as, replay: async () => undefined }),
  "hold.read": (app) => listHolds(app, {}, { limit: 1 }),
  "hold.place": (app) => holdRecord(app, record, { reason: "r" }),
  "hold.release": (app) => releaseHold(app, { holdId: "hold_none" }),
  "retention.read": (app) => readRetention(app, "none"),
  "retention.set": (app) =>
    setRule(app, { ...record, resourceType: "none", keepDays: 1, countedFrom: "last_seen" }),
  "receipt.read": (app) => listReceipts(app),
  "receipt.disclose": (app) =>
    discloseReceipt(app, { deletionRequestId: "del_none", includeConfidential: false }),
  "receipt_key.rotate": (app) => rotateReceiptKey(app, makeKey(), () => undefined),
  "audit.read": (app) => verifyAudit(app),
  "clock.confirm": (app) => confirmClock(app),
  "store.check": (app) => checkErasure(app),
  "store.backup": (app, { config }) =>
    backUp(config, {
      file: `${config.dataDir}/backup-${app.operator}.db`,
      operator: undefined,
      as: app.operator,
      onProgress: () => undefined,
    }),
  "store.restore": ({ operator: as }, { config }) =>
    restoreBackup(config, {
      file: `${config.dataDir}/none.db`,
      replace: true,
      sources: [],
      operator: as,
      as,
      warn: () => undefined,
    }),
  "operator.read": (app) => listOperators(app),
  "operator.create": (app) => createOperator(app, { name: "", roles: [] }),
  "operator.disable": (app) => disableOperator(app, "none"),
  "operator.confirm": (app) => confirmOperator(app, "none"),
  "operator.link": (app) => createSignInLink(app, "none"),
  "session.list": (app) => listSessions(app),
  "session.revoke": (app) => revokeSession(app, "ses_none"),
  // With the right to request deletions of other types.
  "confidential.read": (app) => {
    const { roles } = app.viewer ?? {};
    const viewer = new Viewer(app, roles && [...roles, "operator"]);
    return requestDeletionOf({ ...app, viewer }, { ...sar, reason: "r" });
  },
};

async function isRefused(use: () => unknown): Promise<boolean> {
  try {
    await use();
    return false;
  } catch (error) {
    return error instanceof OperatorError && error.errorName === "not_permitted";
  }
}

describe("the rights of operators", async () => {
  const service = await startService();
  await createOrganization(service.app, { name: "Acme", organizationId: "acme" });
  for (const role of operatorRoles) {
    await createOperator(service.app, { name: role, roles: [role] });
  }
  after(() => service.stop());

  it("are all used here", () => {
    assert.deepEqual(Object.keys(uses).toSorted(), Object.keys(allRights).toSorted());
  });

  for (const [right, { roles }] of Object.entries(allRights)) {
    it(`are enforced: ${right}`, async () => {
      const able: string[] = [];
      for (const role of operatorRoles) {
        const operator = await service.app.store.operators.findByName(role);
        assert.ok(operator !== undefined);
        const app = actAs(service.app, operator);
        if (!(await isRefused(() => uses[right]?.(app, service)))) able.push(role);
      }
      assert.deepEqual(able, roles);
    });
  }

  it("do not bound the shell of the host", async () => {
    for (const [right, use] of Object.entries(uses)) {
      if (right === "store.backup") continue;
      assert.equal(await isRefused(() => use(service.app, service)), false, right);
    }
  });

  it("are those of each setting that is changed at once", async () => {
    const both = { name: "Acme", deletionGraceSeconds: 1 };
    const app = { ...service.app, viewer: new Viewer(service.app, ["operator"]) };
    assert.equal(await isRefused(() => changeOrganization(app, "acme", both)), false);
    for (const more of [{ retainDays: 10_000 }, { deletionApproval: true }]) {
      assert.equal(
        await isRefused(() => changeOrganization(app, "acme", { ...both, ...more })),
        true,
      );
    }
  });

  it("add up for somebody with several roles", async () => {
    const both = {
      ...(await service.app.store.operators.findByName("viewer")),
      roles: ["viewer", "officer"],
    } as const;
    const app = actAs(service.app, {
      operatorId: "",
      createdAt: 0,
      disabledAt: undefined,
      ...both,
      name: "both",
    });
    assert.equal(await isRefused(() => holdRecord(app, record, { reason: "r" })), false);
    assert.equal(await isRefused(() => revokeKey(app, "key_none")), true);
  });

  it("are known for one organization without reading the others, and then for no other", async () => {
    await changeOrganization(service.app, "acme", { confidentialTypes: ["screening"] });
    const faults = new StoreFaults();
    const store = faults.wrap(service.app.store);
    faults.break("listOrganizations", new Error("all were read"));
    const app = showing({ ...service.app, store }, { includeConfidential: false });
    const knows = await viewerOf(app).knowledge("acme");
    const known = ["person", "screening", "customer_sar"].filter((resourceType) =>
      knows({ organizationId: "acme", resourceType }),
    );
    assert.deepEqual(known, ["person"]);
    assert.equal(knows({ organizationId: "other", resourceType: "person" }), false);
  });

  it("read an organization once for a request, however often they are asked", async () => {
    const asked: string[] = [];
    const store = {
      ...service.app.store,
      findOrganization: (id: string) => {
        asked.push(id);
        return service.app.store.findOrganization(id);
      },
    };
    const person = await service.app.store.operators.findByName("viewer");
    assert.ok(person !== undefined);
    const app = actAs({ ...service.app, store }, person);
    const viewer = viewerOf(app);
    const about = { organizationId: "acme", resourceType: "person" };
    const answers = [viewer.knows(about), viewer.knows({ ...about, resourceType: "customer_sar" })];
    assert.deepEqual(await Promise.all(answers), [true, false]);
    assert.deepEqual((await viewer.readers(["acme", "acme"])).get("acme")?.covered, new Set());
    assert.deepEqual(asked, ["acme"]);
    // Several organizations are listed, once.
    assert.equal((await viewer.readers(["acme", "other"])).size, 2);
    assert.deepEqual(asked, ["acme"]);
  });
});
