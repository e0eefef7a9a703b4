// What is answered: the replies of the operations, and what tokens can be asked for.
// Generated from the service's schemas by `npm run docs`; a test fails if it is out of date.

/** An access token; returned once and never stored. */
export interface AccessToken {
  /** The access token, for `Authorization: Bearer <token>`. */
  readonly token: string;
  /**
   * Expiration time as Unix time, in seconds: as requested, or when the API key ends if that is
   * sooner.
   */
  readonly expiry: number;
  /** Organization for which the token was requested. */
  readonly organization_id: string;
  /** Name of that organization. */
  readonly organization_name: string;
  readonly scopes: AccessTokenScope;
  /** The same as `token`, in the reply to a form. */
  readonly access_token?: string;
  /** `Bearer`, in the reply to a form. */
  readonly token_type?: string;
  /** The lifetime in seconds, in the reply to a form. */
  readonly expires_in?: number;
  /** The granted scopes, separated by spaces, in the reply to a form. */
  readonly scope?: string;
}

/** Scope grant requested. */
export interface AccessTokenScope {
  /** Organization for which the token is requested. */
  readonly organization_id: string;
  /** Scopes the token is to have. */
  readonly scopes: readonly Scope[];
}

/** The name of a scope. */
export type Scope =
  | "transactions:read"
  | "transactions:write"
  | "risk_assessment:read"
  | "risk_assessment:write"
  | "screening:read"
  | "screening:write"
  | "person:read"
  | "person:write"
  | "company:read"
  | "company:write"
  | "identity_verification:read"
  | "identity_verification:write"
  | "onboarding_flow:read"
  | "onboarding_flow:write"
  | "customer_sar:read"
  | "customer_sar:write"
  | "transactions:delete"
  | "person:delete"
  | "company:delete"
  | "changes:read"
  | "changes:content";

/** The result of a write. The data is on stable storage. */
export interface WriteResult {
  /** Always true: the request was processed. */
  readonly success: boolean;
  /** Number of changes stored. */
  readonly write_count: number;
  /** The same in words. */
  readonly message: string;
  /** Organization that it belongs to. */
  readonly organization_id: string;
  /** One entry per item, in order; only with `Prefer: handling=lenient`. */
  readonly results?: readonly WriteItemResult[];
}

/** The result of one item of a list. */
export interface WriteItemResult {
  /** Index of the item in the list, from 0. */
  readonly index: number;
  /** Identifier of the record; absent if the item has no readable one. */
  readonly id?: string;
  /** What happened to the item. */
  readonly status: "created" | "updated" | "unchanged" | "refused";
  /** Error code: the HTTP status times 100 plus a number. Stable, unlike the message. */
  readonly code?: number;
  /**
   * Why it was refused; with `verdicts=single` also what was written, as the reply to a single
   * request says.
   */
  readonly message?: string;
  /** Detail about errors in specific fields. */
  readonly errors?: readonly ErrorItem[];
}

/** Detail about an error in one field. */
export interface ErrorItem {
  /** The field, as a path such as `amount` or `[3].addresses[0].type`. */
  readonly field?: string;
  /** What was expected, and what to do. */
  readonly message?: string;
}

/** The status of a deletion. */
export interface DeletionStatus {
  /** Unique identifier of the deletion request. */
  readonly deletion_request_id: string;
  /** Type of the record. */
  readonly resource_type: string;
  /** Unique identifier of the record. */
  readonly resource_id: string;
  /** Basis that the request stated. */
  readonly basis?:
    | "no_longer_necessary"
    | "consent_withdrawn"
    | "objection"
    | "unlawful_processing"
    | "legal_obligation"
    | "child_services"
    | "contract_ended"
    | "retention_rule"
    | "court_or_authority"
    | "other";
  /** Status of the request. */
  readonly status: "pending" | "processing" | "completed" | "cancelled";
  /** When it was requested. */
  readonly requested_at: string;
  /**
   * When it will be processed, if that is later than the request: at the end of a grace period or
   * of a retention floor.
   */
  readonly due_at?: string;
  /** When it was completed and verified. */
  readonly completed_at?: string;
  /**
   * Number of records that the organization no longer has, by type; types without any are left out,
   * and confidential types unless the token has their read scope.
   */
  readonly erased?: Readonly<Record<string, number>>;
  readonly receipt?: DeletionReceipt;
  /**
   * By type, the numbers that the receipt commits to, with their salts: of every type whose read
   * scope the token has, also if there were none.
   */
  readonly disclosures?: Readonly<Record<string, DisclosedCounts>>;
  readonly disclosed_approval?: DisclosedApproval;
  readonly disclosed_basis?: DisclosedBasis;
  /** The recipients of changes that were informed about what was erased. */
  readonly recipients?: readonly InformedRecipient[];
  readonly statement?: RecipientStatement;
}

/**
 * The signed proof of a completed deletion. Its hash is the SHA-256 of its canonical JSON (RFC
 * 8785).
 */
export interface DeletionReceipt {
  /** What this document is. */
  readonly type: "sluice-deletion-receipt";
  /** Version of the format. */
  readonly version: 2;
  /** Identifies the store, and so the chain. */
  readonly store_id: string;
  /** Position in the chain of receipts of the store; 0 for one that is in no chain. */
  readonly receipt_no: number;
  /** SHA-256 of the receipt before it, in hex; zeros in the first. */
  readonly previous_receipt: string;
  /** Organization that the record belonged to. */
  readonly organization_id: string;
  /** Unique identifier of the deletion request. */
  readonly deletion_request_id: string;
  /** The deletion request. */
  readonly asked: DeletionReceiptAsked;
  readonly approval?: ReceiptApproval;
  /** When the erasure began. */
  readonly started_at: string;
  /** When it was completed and verified. */
  readonly completed_at: string;
  /** A salted hash instead of each number, by type, also where there were none. */
  readonly counts: Readonly<Record<string, ReceiptCountHashes>>;
  /** How the service verified that nothing is left. */
  readonly verification: DeletionReceiptVerification;
  /** Only after a restore: the receipt that the deletion had before. */
  readonly carried_out_again?: DeletionReceiptCarriedOutAgain;
  /** Thumbprint (RFC 7638) of the public key. */
  readonly key_id: string;
  /** Ed25519 over the canonical JSON of everything else, base64url. */
  readonly signature: string;
}

/** The deletion request. */
export interface DeletionReceiptAsked {
  /** Type of the record. */
  readonly resource_type: string;
  /** Unique identifier of the record. */
  readonly resource_id: string;
  /** Reason for deletion, as given. */
  readonly reason: string;
  /**
   * Only if the request stated a basis: the SHA-256 of `["sluice-receipt-basis",salt,basis]`,
   * base64url.
   */
  readonly basis?: string;
  /** Id of the API key that requested it, `operator` or `retention`. */
  readonly by: string;
  /** When it was requested. */
  readonly at: string;
}

/** How the service verified that nothing is left. */
export interface DeletionReceiptVerification {
  /** When. */
  readonly at: string;
  /** Engine of the store. */
  readonly engine: "sqlite" | "postgres";
  /** What was checked and found empty. */
  readonly looked_at: readonly string[];
  /** What had happened to the bytes at that time. */
  readonly bytes: string;
}

/** Only after a restore: the receipt that the deletion had before. */
export interface DeletionReceiptCarriedOutAgain {
  /** Why. */
  readonly because: "restore";
  /** When it was first completed. */
  readonly completed_at: string | null;
  /** The number of that receipt. */
  readonly receipt_no: number | null;
  /** Its SHA-256. */
  readonly receipt: string | null;
}

/**
 * Only if a second person had to approve the deletion: who asked and who approved, each as the
 * SHA-256 of `["sluice-receipt-person",salt,"requester" or "approver",name]`, base64url.
 */
export interface ReceiptApproval {
  /** Hash of the name or key id of who requested it. */
  readonly requester: string;
  /** Hash of the name of who approved it. */
  readonly approver: string;
  /** When it was approved. */
  readonly approved_at: string;
}

/**
 * For each number, the SHA-256 of `["sluice-receipt-count",salt,type,kind,number]`, base64url.
 * Without the salt it says nothing about the number.
 */
export interface ReceiptCountHashes {
  /** Records that the organization no longer has: erased, or kept as `kept` counts. */
  readonly removed: string;
  /** How many of these an obligation to keep records keeps in the restricted store. */
  readonly kept: string;
  /** References removed from records of this type that stay. */
  readonly references_removed: string;
}

/** The numbers of a type that the caller may know. */
export interface DisclosedCounts {
  /** Records that the organization no longer has: erased, or kept as `kept` counts. */
  readonly removed?: DisclosedCount;
  /** How many of these an obligation to keep records keeps in the restricted store. */
  readonly kept?: DisclosedCount;
  /** References removed from records of this type that stay. */
  readonly references_removed?: DisclosedCount;
}

/** A number, and the salt of its hash in the receipt. */
export interface DisclosedCount {
  /** The number. */
  readonly count: number;
  /** The salt. */
  readonly salt: string;
}

/** The two people to whom the receipt commits, if it does. */
export interface DisclosedApproval {
  readonly requester: DisclosedPerson;
  readonly approver: DisclosedPerson;
}

/** A name, and the salt of its hash in the receipt. */
export interface DisclosedPerson {
  /** The name. */
  readonly name: string;
  /** The salt. */
  readonly salt: string;
}

/** The basis that the request stated, and the salt of its hash in the receipt. */
export interface DisclosedBasis {
  /** The basis. */
  readonly basis: string;
  /** The salt. */
  readonly salt: string;
}

/** A recipient that was informed about what a deletion has erased. */
export interface InformedRecipient {
  /** Name of the recipient. */
  readonly name: string;
  /** When the last notice for it was written to the feed of changes. */
  readonly told_at: string;
  /** When it had acknowledged all of them. */
  readonly acknowledged_at?: string;
  /** When it was removed before it had. */
  readonly removed_at?: string;
  /** When a notice was erased, because of its age, before it had. */
  readonly expired_at?: string;
}

/** The signed statement that every recipient has acknowledged what was erased. */
export interface RecipientStatement {
  /** What it is. */
  readonly type: "sluice-recipient-statement";
  /** Its version. */
  readonly version: 1;
  /** Identifies the store. */
  readonly store_id: string;
  /** It is in no chain. */
  readonly receipt_no: 0;
  /** The SHA-256 of the receipt of the deletion. */
  readonly receipt_hash: string;
  /** The organization. */
  readonly organization_id: string;
  /** Unique identifier of the deletion request. */
  readonly deletion_request_id: string;
  /** The recipients, and when each had acknowledged. */
  readonly recipients: readonly RecipientStatementRecipientsItem[];
  /** The key that signed it, one of `/.well-known/sluice-receipts.json`. */
  readonly key_id: string;
  /** Ed25519 over the canonical JSON of everything else, base64url. */
  readonly signature: string;
}

/** A recipient. */
export interface RecipientStatementRecipientsItem {
  /** Name of the recipient. */
  readonly name: string;
  /** When the last notice for it was written. */
  readonly told_at: string;
  /** When it had acknowledged all of them. */
  readonly acknowledged_at: string;
}

/** A change, as a CloudEvent 1.0 in structured JSON. */
export interface ChangeEvent {
  /** 1.0. */
  readonly specversion: string;
  /** Opaque; the same for this change in every reply, and unique with the source. */
  readonly id: string;
  /** The organization. */
  readonly source: string;
  /** The type of the record, and what happened to it. */
  readonly type:
    | "sluice.transaction.created"
    | "sluice.transaction.updated"
    | "sluice.transaction_check.created"
    | "sluice.transaction_check.updated"
    | "sluice.transaction_alert.created"
    | "sluice.transaction_alert.updated"
    | "sluice.transaction_suspicious_activity.created"
    | "sluice.transaction_suspicious_activity.updated"
    | "sluice.screening.created"
    | "sluice.screening.updated"
    | "sluice.risk_assessment.created"
    | "sluice.risk_assessment.updated"
    | "sluice.person.created"
    | "sluice.person.updated"
    | "sluice.company.created"
    | "sluice.company.updated"
    | "sluice.identity_verification.created"
    | "sluice.identity_verification.updated"
    | "sluice.onboarding_flow.created"
    | "sluice.onboarding_flow.updated"
    | "sluice.customer_sar.created"
    | "sluice.customer_sar.updated"
    | "sluice.record.erased"
    | "sluice.deletion.completed";
  /** Unique identifier of the record, or of the deletion that was completed. */
  readonly subject: string;
  /** When the change was received, or the record was erased. */
  readonly time: string;
  /** With data: application/json. */
  readonly datacontenttype?: string;
  /**
   * With content: the change as it was sent. Of an erased record: `resource_type` and
   * `deletion_request_id`.
   */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** The transaction exists. */
export interface TransactionExistence {
  /** Unique identifier of the transaction. */
  readonly tx_id: string;
  /** Earliest timestamp associated with the transaction. */
  readonly first_seen: string;
  /** Latest timestamp associated with the transaction. */
  readonly last_seen: string;
  /** Organization for which the transaction was found. */
  readonly organization_id: string;
}

/** The deletion is queued. */
export interface TransactionDeletionAccepted {
  /** Unique identifier of the transaction. */
  readonly tx_id: string;
  /** Unique identifier of the deletion request, for `GET /v2/deletion_request`. */
  readonly deletion_request_id: string;
}

/** The transaction check exists. */
export interface TransactionCheckExistence {
  /** Unique identifier of the transaction check. */
  readonly check_id: string;
  /** Earliest timestamp associated with the transaction check. */
  readonly first_seen: string;
  /** Latest timestamp associated with the transaction check. */
  readonly last_seen: string;
  /** Organization for which the transaction check was found. */
  readonly organization_id: string;
}

/** The transaction alert exists. */
export interface TransactionAlertExistence {
  /** Unique identifier of the transaction alert. */
  readonly alert_id: string;
  /** Earliest timestamp associated with the transaction alert. */
  readonly first_seen: string;
  /** Latest timestamp associated with the transaction alert. */
  readonly last_seen: string;
  /** Organization for which the transaction alert was found. */
  readonly organization_id: string;
}

/** The transaction suspicious activity exists. */
export interface TransactionSuspiciousActivityExistence {
  /** Unique identifier of the transaction suspicious activity. */
  readonly suspicious_activity_id: string;
  /** Earliest timestamp associated with the transaction suspicious activity. */
  readonly first_seen: string;
  /** Latest timestamp associated with the transaction suspicious activity. */
  readonly last_seen: string;
  /** Organization for which the transaction suspicious activity was found. */
  readonly organization_id: string;
}

/** The screening exists. */
export interface ScreeningExistence {
  /** Unique identifier of the screening. */
  readonly screening_id: string;
  /** Earliest timestamp associated with the screening. */
  readonly first_seen: string;
  /** Latest timestamp associated with the screening. */
  readonly last_seen: string;
  /** Organization for which the screening was found. */
  readonly organization_id: string;
}

/** The risk assessment exists. */
export interface RiskAssessmentExistence {
  /** Unique identifier of the risk assessment. */
  readonly assessment_id: string;
  /** Earliest timestamp associated with the risk assessment. */
  readonly first_seen: string;
  /** Latest timestamp associated with the risk assessment. */
  readonly last_seen: string;
  /** Organization for which the risk assessment was found. */
  readonly organization_id: string;
}

/** The person exists. */
export interface PersonExistence {
  /** Unique identifier of the person. */
  readonly person_id: string;
  /** Earliest timestamp associated with the person. */
  readonly first_seen: string;
  /** Latest timestamp associated with the person. */
  readonly last_seen: string;
  /** Organization for which the person was found. */
  readonly organization_id: string;
}

/** The deletion is queued. */
export interface PersonDeletionAccepted {
  /** Unique identifier of the person. */
  readonly person_id: string;
  /** Unique identifier of the deletion request, for `GET /v2/deletion_request`. */
  readonly deletion_request_id: string;
}

/** The company exists. */
export interface CompanyExistence {
  /** Unique identifier of the company. */
  readonly company_id: string;
  /** Earliest timestamp associated with the company. */
  readonly first_seen: string;
  /** Latest timestamp associated with the company. */
  readonly last_seen: string;
  /** Organization for which the company was found. */
  readonly organization_id: string;
}

/** The deletion is queued. */
export interface CompanyDeletionAccepted {
  /** Unique identifier of the company. */
  readonly company_id: string;
  /** Unique identifier of the deletion request, for `GET /v2/deletion_request`. */
  readonly deletion_request_id: string;
}

/** The identity verification exists. */
export interface IdentityVerificationExistence {
  /** Unique identifier of the identity verification. */
  readonly verification_id: string;
  /** Earliest timestamp associated with the identity verification. */
  readonly first_seen: string;
  /** Latest timestamp associated with the identity verification. */
  readonly last_seen: string;
  /** Organization for which the identity verification was found. */
  readonly organization_id: string;
}

/** The onboarding flow exists. */
export interface OnboardingFlowExistence {
  /** Unique identifier of the onboarding flow. */
  readonly onboarding_flow_id: string;
  /** Earliest timestamp associated with the onboarding flow. */
  readonly first_seen: string;
  /** Latest timestamp associated with the onboarding flow. */
  readonly last_seen: string;
  /** Organization for which the onboarding flow was found. */
  readonly organization_id: string;
}

/** The customer SAR exists. */
export interface CustomerSarExistence {
  /** Unique identifier of the customer SAR. */
  readonly sar_id: string;
  /** Earliest timestamp associated with the customer SAR. */
  readonly first_seen: string;
  /** Latest timestamp associated with the customer SAR. */
  readonly last_seen: string;
  /** Organization for which the customer SAR was found. */
  readonly organization_id: string;
}
