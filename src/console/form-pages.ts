// The page of each form, which is shown again if the form is refused. A form that is missing here leads to a page with
// the message alone.

import type { PersonalRoute } from "./page.ts";
import { showAccess } from "./page/access.ts";
import { showAudit } from "./page/audit.ts";
import { showBulk } from "./page/bulk-deletions.ts";
import { showDeletion } from "./page/deletion.ts";
import { showHold } from "./page/holds.ts";
import { showIdentities, showIdentity } from "./page/identities.ts";
import { showIntake } from "./page/intake.ts";
import { showKey } from "./page/keys.ts";
import { showOperator, showOperators } from "./page/operators.ts";
import { showOrganization } from "./page/organization.ts";
import { showOrganizations } from "./page/organizations.ts";
import { showOneProposal } from "./page/proposals.ts";
import { showReceipts } from "./page/receipts.ts";
import { showRecord } from "./page/record.ts";
import { showDeletionForm } from "./page/request-deletion.ts";
import { showRetention } from "./page/retention.ts";
import { showSearch } from "./page/subjects.ts";
import { showUpload } from "./page/upload.ts";
import { showWebhook, showWebhooks } from "./page/webhooks.ts";

type Page = PersonalRoute["handle"];
type Path = PersonalRoute["path"];

const forms: readonly (readonly [page: Page, paths: readonly Path[]])[] = [
  [(person) => showBulk(person, "cancel"), ["/console/deletions/cancel"]],
  [(person) => showBulk(person, "approve"), ["/console/deletions/approve"]],
  [showDeletion, ["/console/deletion/:id", "/console/approval/:id"]],
  [showRecord, ["/console/record/reading", "/console/record/hold"]],
  [showDeletionForm, ["/console/record/deletion"]],
  [showSearch, ["/console/subjects", "/console/subjects/answer"]],
  [showAccess, ["/console/access", "/console/access/copy"]],
  [showHold, ["/console/hold/:id"]],
  [showRetention, ["/console/retention/ceiling", "/console/retention/rule"]],
  [showOneProposal, ["/console/proposal/:id", "/console/proposal/:id/decline"]],
  [showOrganizations, ["/console/organizations", "/console/organizations/choice"]],
  [
    showOrganization,
    [
      "/console/organization/:id",
      "/console/organization/approval/:id",
      "/console/organization/key/:id",
      "/console/organization/recipient/:id",
      "/console/organization/recipient/remove/:id",
      "/console/organization/close/:id",
    ],
  ],
  [showKey, ["/console/key/rotate/:id", "/console/key/revoke/:id"]],
  [showIdentities, ["/console/identities/:id"]],
  [showIdentity, ["/console/identity/revoke/:id"]],
  [showWebhooks, ["/console/webhooks/:id"]],
  [
    showWebhook,
    [
      "/console/webhook/test/:id",
      "/console/webhook/enable/:id",
      "/console/webhook/rotate/:id",
      "/console/webhook/remove/:id",
    ],
  ],
  [showOperators, ["/console/operators"]],
  [
    showOperator,
    [
      "/console/operator-link/:id",
      "/console/operator-end/:id",
      "/console/operator-confirmation/:id",
    ],
  ],
  [showAudit, ["/console/audit/verify"]],
  [showReceipts, ["/console/receipts/verify"]],
  [showIntake, ["/console/upload"]],
  [
    showUpload,
    [
      "/console/upload/:id",
      "/console/upload/:id/start",
      "/console/upload/:id/stop",
      "/console/upload/:id/discard",
    ],
  ],
];

export const formPages: ReadonlyMap<string, Page> = new Map(
  forms.flatMap(([page, paths]) => paths.map((path) => [path, page] as const)),
);
