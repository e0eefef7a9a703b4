// What is sent: the records of every type, and updates of them.
// Generated from the service's schemas by `npm run docs`; a test fails if it is out of date.

/**
 * Money that moves in, out or internally.
 *
 * Rules:
 *
 * - At least one of sender_id and receiver_id is required.
 * - sender_country is required when sender_id is sent.
 * - receiver_country is required when receiver_id is sent.
 */
export interface Transaction {
  /** Unique identifier of the transaction. */
  tx_id: string;
  /** Which way the money moves. */
  type: "DEPOSIT" | "WITHDRAWAL";
  /** How the money moves. */
  method:
    | "WIRE"
    | "ACH"
    | "SWIFT"
    | "SEPA"
    | "APPLE_PAY"
    | "GOOGLE_PAY"
    | "CHECK_DEPOSIT"
    | "INTERNAL_TRANSFER"
    | "RTP"
    | "FEDNOW"
    | "PROV_X_TRANSFER"
    | "CARD";
  /** Amount in `currency`; may be negative or zero, and null if it is unknown. */
  amount: number | null;
  /** Currency of `amount`, which was valid at `timestamp`. */
  currency: CurrencyCode;
  /** State of the transaction. */
  status: "CREATED" | "PENDING" | "SETTLED" | "FAILED" | "REJECTED" | "REFUNDED";
  /** Made for a test, not real. Counts as false if left out. */
  is_test?: boolean | null | undefined;
  /** Amount in US dollars. */
  amount_usd?: number | null | undefined;
  /** Who sends the money. */
  sender_id?: string | null | undefined;
  /** Country that the money comes from. */
  sender_country?: CountryCode | null | undefined;
  /** Who receives the money. */
  receiver_id?: string | null | undefined;
  /** Country that the money goes to. */
  receiver_country?: CountryCode | null | undefined;
  /** When it happened (business time), with offset. */
  timestamp: string | Date;
  /** The sender's own fields. */
  additional_properties?: readonly AdditionalProperty[] | null | undefined;
}

/**
 * An ISO 4217 currency code, active or historic; one withdrawn before 2021 only for times at which
 * it was valid.
 */
export type CurrencyCode = string;

/** An ISO 3166-1 alpha-2 country code, or XK (Kosovo). */
export type CountryCode = string;

/** One of the sender's own fields. */
export interface AdditionalProperty {
  /** Name, unique in the list. */
  key: string;
  /** Value, always as text. */
  value: string;
  /** What the text stands for. */
  type: "STRING" | "NUMBER" | "BOOLEAN" | "OBJECT" | "ARRAY";
  /** What it means. */
  description?: string | null | undefined;
}

/** Changes to a record that exists. Null clears a field. */
export interface TransactionUpdate {
  tx_id: string;
  type?: "DEPOSIT" | "WITHDRAWAL" | undefined;
  method?:
    | "WIRE"
    | "ACH"
    | "SWIFT"
    | "SEPA"
    | "APPLE_PAY"
    | "GOOGLE_PAY"
    | "CHECK_DEPOSIT"
    | "INTERNAL_TRANSFER"
    | "RTP"
    | "FEDNOW"
    | "PROV_X_TRANSFER"
    | "CARD"
    | undefined;
  amount?: number | null | undefined;
  currency?: CurrencyCode | undefined;
  status?: "CREATED" | "PENDING" | "SETTLED" | "FAILED" | "REJECTED" | "REFUNDED" | undefined;
  is_test?: boolean | null | undefined;
  amount_usd?: number | null | undefined;
  sender_id?: string | null | undefined;
  sender_country?: CountryCode | null | undefined;
  receiver_id?: string | null | undefined;
  receiver_country?: CountryCode | null | undefined;
  timestamp: string | Date;
  additional_properties?: readonly AdditionalProperty[] | null | undefined;
}

/** A check that was run on transactions. */
export interface TransactionCheck {
  /** Unique identifier of the check. */
  check_id: string;
  /** How far the check has come. */
  status: "PENDING" | "COMPLETED" | "REQUESTED" | "ASSIGNED" | "FAILED";
  /** Whether the transaction waited for the check. */
  type: "INLINE_MONITORING" | "DELAYED_MONITORING";
  /** Made for a test, not real. */
  is_test?: boolean | null | undefined;
  /** Transactions that were checked. */
  related_tx_ids?: readonly string[] | null | undefined;
  /** Transaction that was checked; send `related_tx_ids` instead. */
  related_tx_id?: string | null | undefined;
  /** When it happened (business time), with offset. */
  timestamp: string | Date;
  /** The sender's own fields. */
  additional_properties?: readonly AdditionalProperty[] | null | undefined;
}

/** Changes to a record that exists. Null clears a field. */
export interface TransactionCheckUpdate {
  check_id: string;
  status?: "PENDING" | "COMPLETED" | "REQUESTED" | "ASSIGNED" | "FAILED" | undefined;
  type?: "INLINE_MONITORING" | "DELAYED_MONITORING" | undefined;
  is_test?: boolean | null | undefined;
  related_tx_ids?: readonly string[] | null | undefined;
  related_tx_id?: string | null | undefined;
  timestamp: string | Date;
  additional_properties?: readonly AdditionalProperty[] | null | undefined;
}

/** An alert that a check of transactions raised. */
export interface TransactionAlert {
  /** Unique identifier of the alert. */
  alert_id: string;
  /** How far the alert has come. */
  status: "CREATED" | "PENDING" | "CLOSED";
  /** Type of the check that raised it. */
  check_type?: "INLINE_MONITORING" | "DELAYED_MONITORING" | null | undefined;
  /** Check that raised it. */
  related_check_id?: string | null | undefined;
  /** Transactions that it is about. */
  related_tx_ids?: readonly string[] | null | undefined;
  /** Made for a test, not real. */
  is_test?: boolean | null | undefined;
  /** When it happened (business time), with offset. */
  timestamp: string | Date;
  /** The sender's own fields. */
  additional_properties?: readonly AdditionalProperty[] | null | undefined;
}

/** Changes to a record that exists. Null clears a field. */
export interface TransactionAlertUpdate {
  alert_id: string;
  status?: "CREATED" | "PENDING" | "CLOSED" | undefined;
  check_type?: "INLINE_MONITORING" | "DELAYED_MONITORING" | null | undefined;
  related_check_id?: string | null | undefined;
  related_tx_ids?: readonly string[] | null | undefined;
  is_test?: boolean | null | undefined;
  timestamp: string | Date;
  additional_properties?: readonly AdditionalProperty[] | null | undefined;
}

/** A suspicion of crime about transactions. */
export interface TransactionSuspiciousActivity {
  /** Unique identifier of the suspicious activity. */
  suspicious_activity_id: string;
  /** When it was noticed. */
  detection_date: string | Date;
  /** The report to the authority. */
  report_id?: string | null | undefined;
  /** When the report was filed. */
  report_filed_at?: string | Date | null | undefined;
  /** Transactions that it is about. */
  related_tx_ids?: readonly string[] | null | undefined;
  /** Alert that led to it. */
  related_alert_id?: string | null | undefined;
  /** Made for a test, not real. */
  is_test?: boolean | null | undefined;
  /** When it happened (business time), with offset. */
  timestamp: string | Date;
  /** The sender's own fields. */
  additional_properties?: readonly AdditionalProperty[] | null | undefined;
}

/** Changes to a record that exists. Null clears a field. */
export interface TransactionSuspiciousActivityUpdate {
  suspicious_activity_id: string;
  detection_date?: string | Date | undefined;
  report_id?: string | null | undefined;
  report_filed_at?: string | Date | null | undefined;
  related_tx_ids?: readonly string[] | null | undefined;
  related_alert_id?: string | null | undefined;
  is_test?: boolean | null | undefined;
  timestamp: string | Date;
  additional_properties?: readonly AdditionalProperty[] | null | undefined;
}

/**
 * A search in lists of sanctions, politically exposed persons and the like.
 *
 * Rules:
 *
 * - At most one of related_tx_id, related_person_id and related_company_id may be sent.
 */
export interface Screening {
  /** Unique identifier of the screening. */
  screening_id: string;
  /** What was searched for. */
  type: "ADVERSE_MEDIA" | "AML" | "PEP" | "SANCTION";
  /** The result. */
  outcome:
    | "POSITIVE"
    | "NEGATIVE"
    | "FALSE_NEGATIVE"
    | "FALSE_POSITIVE"
    | "TRUE_NEGATIVE"
    | "TRUE_POSITIVE"
    | "SCREENED";
  /** Who did the screening. */
  provider: string;
  /** Lists that were searched. */
  lists: readonly string[];
  /** More about the outcome. */
  outcome_details?: string | null | undefined;
  /** Transaction that it is about. */
  related_tx_id?: string | null | undefined;
  /** Person that it is about. */
  related_person_id?: string | null | undefined;
  /** Company that it is about. */
  related_company_id?: string | null | undefined;
  /** When it happened (business time), with offset. */
  timestamp: string | Date;
  /** The sender's own fields. */
  additional_properties?: readonly AdditionalProperty[] | null | undefined;
}

/**
 * Changes to a record that exists. Null clears a field.
 *
 * Rules:
 *
 * - At most one of related_tx_id, related_person_id and related_company_id may be sent.
 */
export interface ScreeningUpdate {
  screening_id: string;
  type?: "ADVERSE_MEDIA" | "AML" | "PEP" | "SANCTION" | undefined;
  outcome?:
    | "POSITIVE"
    | "NEGATIVE"
    | "FALSE_NEGATIVE"
    | "FALSE_POSITIVE"
    | "TRUE_NEGATIVE"
    | "TRUE_POSITIVE"
    | "SCREENED"
    | undefined;
  provider?: string | undefined;
  lists?: readonly string[] | undefined;
  outcome_details?: string | null | undefined;
  related_tx_id?: string | null | undefined;
  related_person_id?: string | null | undefined;
  related_company_id?: string | null | undefined;
  timestamp: string | Date;
  additional_properties?: readonly AdditionalProperty[] | null | undefined;
}

/**
 * An assessment of the risk of a person or a company.
 *
 * Rules:
 *
 * - At most one of related_person_id and related_company_id may be sent.
 */
export interface RiskAssessment {
  /** Unique identifier of the risk assessment. */
  assessment_id: string;
  /** What was assessed, such as "onboarding risk band". */
  type: string;
  /** The result, such as LOW, MEDIUM, HIGH or CRITICAL. */
  outcome: string;
  /** Person that it is about. */
  related_person_id?: string | null | undefined;
  /** Company that it is about. */
  related_company_id?: string | null | undefined;
  /** When it happened (business time), with offset. */
  timestamp: string | Date;
  /** The sender's own fields. */
  additional_properties?: readonly AdditionalProperty[] | null | undefined;
}

/**
 * Changes to a record that exists. Null clears a field.
 *
 * Rules:
 *
 * - At most one of related_person_id and related_company_id may be sent.
 */
export interface RiskAssessmentUpdate {
  assessment_id: string;
  type?: string | undefined;
  outcome?: string | undefined;
  related_person_id?: string | null | undefined;
  related_company_id?: string | null | undefined;
  timestamp: string | Date;
  additional_properties?: readonly AdditionalProperty[] | null | undefined;
}

/**
 * A customer, or somebody with a role in a company.
 *
 * Rules:
 *
 * - is_beneficial_owner, is_director, is_account_owner and is_shareholder are required when
 * is_retail_customer is false.
 */
export interface Person {
  /** Unique identifier of the person. */
  person_id: string;
  /** Made for a test, not real. */
  is_test_user: boolean;
  /** A customer in their own right, not for a company. */
  is_retail_customer: boolean;
  /** Owns the company in the end. */
  is_beneficial_owner?: boolean | null | undefined;
  /** Directs the company. */
  is_director?: boolean | null | undefined;
  /** Owns the account. */
  is_account_owner?: boolean | null | undefined;
  /** Holds shares in the company. */
  is_shareholder?: boolean | null | undefined;
  /** Company to which the person is related. */
  related_company_id?: string | null | undefined;
  /** Trades as a sole proprietor. */
  is_sole_prop?: boolean | null | undefined;
  /** Controls the company to a significant degree. */
  is_significant_control_person?: boolean | null | undefined;
  /** Share of the company that the person owns. */
  ownership_percentage?: number | null | undefined;
  /** State of the account. */
  account_status?: "APPROVED" | "BLOCKED" | "CLOSED" | "PENDING" | "REJECTED" | null | undefined;
  /** Full name. */
  name?: string | null | undefined;
  /** First name. */
  first_name?: string | null | undefined;
  /** Last name. */
  last_name?: string | null | undefined;
  /** Email address. */
  email?: string | null | undefined;
  /** A postal address. */
  address?: Address | null | undefined;
  /** Phone number. */
  phone_number?: string | null | undefined;
  /** Date of birth. */
  date_of_birth?: string | null | undefined;
  /** Nationality. */
  nationality?: NationalityCode | null | undefined;
  /** Occupation. */
  occupation?: string | null | undefined;
  /** When the first transaction was completed. */
  first_transaction_completed_at?: string | Date | null | undefined;
  /** A number that a state gave to the person. */
  national_identification_number?: PersonNationalIdentificationNumber | null | undefined;
  /** Product that the person uses. */
  product_type?: string | null | undefined;
  /** When it happened (business time), with offset. */
  timestamp: string | Date;
  /** The sender's own fields. */
  additional_properties?: readonly AdditionalProperty[] | null | undefined;
}

export interface PersonNationalIdentificationNumber {
  /** Which number it is, such as a passport or a tax number. */
  type: string;
  /** The number. */
  value: string;
}

/** A postal address. */
export interface Address {
  /** Street lines. */
  lines?: readonly string[] | null | undefined;
  /** City. */
  city?: string | null | undefined;
  /** State or province. */
  state?: string | null | undefined;
  /** County. */
  county?: string | null | undefined;
  /** Postal code. */
  postal_code?: string | null | undefined;
  /** Country. */
  country?: string | null | undefined;
}

/** An ISO 3166-1 alpha-2 or alpha-3 country code, or XK or XKX (Kosovo). */
export type NationalityCode = string;

/** Changes to a record that exists. Null clears a field. */
export interface PersonUpdate {
  person_id: string;
  is_test_user?: boolean | undefined;
  is_retail_customer?: boolean | undefined;
  is_beneficial_owner?: boolean | null | undefined;
  is_director?: boolean | null | undefined;
  is_account_owner?: boolean | null | undefined;
  is_shareholder?: boolean | null | undefined;
  related_company_id?: string | null | undefined;
  is_sole_prop?: boolean | null | undefined;
  is_significant_control_person?: boolean | null | undefined;
  ownership_percentage?: number | null | undefined;
  account_status?: "APPROVED" | "BLOCKED" | "CLOSED" | "PENDING" | "REJECTED" | null | undefined;
  name?: string | null | undefined;
  first_name?: string | null | undefined;
  last_name?: string | null | undefined;
  email?: string | null | undefined;
  address?: Address | null | undefined;
  phone_number?: string | null | undefined;
  date_of_birth?: string | null | undefined;
  nationality?: NationalityCode | null | undefined;
  occupation?: string | null | undefined;
  first_transaction_completed_at?: string | Date | null | undefined;
  national_identification_number?: PersonNationalIdentificationNumber | null | undefined;
  product_type?: string | null | undefined;
  timestamp: string | Date;
  additional_properties?: readonly AdditionalProperty[] | null | undefined;
}

/** A customer that is not a person, or a company for which persons act. */
export interface Company {
  /** Unique identifier of the company. */
  company_id: string;
  /** Made for a test, not real. */
  is_test_company: boolean;
  /** State of the account. */
  account_status?: "APPROVED" | "BLOCKED" | "CLOSED" | "PENDING" | "REJECTED" | null | undefined;
  /** Name in the register. */
  legal_name?: string | null | undefined;
  /** Name under which it trades. */
  trading_name?: string | null | undefined;
  /** Email address. */
  email?: string | null | undefined;
  /** Where the company is found. */
  addresses?: readonly CompanyAddressesItem[] | null | undefined;
  /** Phone number. */
  phone_number?: string | null | undefined;
  /** Legal form. */
  type?: string | null | undefined;
  /** Number under which the company is registered. */
  registration_number?: CompanyRegistrationNumber | null | undefined;
  /** When it was incorporated. */
  incorporation_date?: string | null | undefined;
  /** Country of incorporation. */
  incorporation_country?: string | null | undefined;
  /** State or province of incorporation. */
  incorporation_state?: string | null | undefined;
  /** Country where it mostly operates. */
  primary_operation_country?: string | null | undefined;
  /** Industry, in words. */
  industry?: string | null | undefined;
  /** What the company does, by a published classification. */
  industry_classification?: CompanyIndustryClassification | null | undefined;
  /** Where its wealth comes from. */
  source_of_wealth?: string | null | undefined;
  /** Where its funds come from. */
  source_of_funds?: string | null | undefined;
  /** When the first transaction was completed. */
  first_transaction_completed_at?: string | Date | null | undefined;
  /** Product that the company uses. */
  product_type?: string | null | undefined;
  /** The register shows it as inactive. */
  registered_as_inactive?: boolean | null | undefined;
  /** When it happened (business time), with offset. */
  timestamp: string | Date;
  /** The sender's own fields. */
  additional_properties?: readonly AdditionalProperty[] | null | undefined;
}

/** An address of the company. */
export interface CompanyAddressesItem {
  /** What the address is for, such as registered or trading. */
  type?: string | null | undefined;
  /** A postal address. */
  address?: Address | null | undefined;
}

export interface CompanyRegistrationNumber {
  /** Which register or number it is. */
  type: string;
  /** The number. */
  value: string;
}

export interface CompanyIndustryClassification {
  /** Which classification, such as NACE or SIC. */
  code_type: string;
  /** Codes in it. */
  code: readonly string[];
  /** What the codes mean. */
  description?: string | null | undefined;
}

/** Changes to a record that exists. Null clears a field. */
export interface CompanyUpdate {
  company_id: string;
  is_test_company?: boolean | undefined;
  account_status?: "APPROVED" | "BLOCKED" | "CLOSED" | "PENDING" | "REJECTED" | null | undefined;
  legal_name?: string | null | undefined;
  trading_name?: string | null | undefined;
  email?: string | null | undefined;
  addresses?: readonly CompanyAddressesItem[] | null | undefined;
  phone_number?: string | null | undefined;
  type?: string | null | undefined;
  registration_number?: CompanyRegistrationNumber | null | undefined;
  incorporation_date?: string | null | undefined;
  incorporation_country?: string | null | undefined;
  incorporation_state?: string | null | undefined;
  primary_operation_country?: string | null | undefined;
  industry?: string | null | undefined;
  industry_classification?: CompanyIndustryClassification | null | undefined;
  source_of_wealth?: string | null | undefined;
  source_of_funds?: string | null | undefined;
  first_transaction_completed_at?: string | Date | null | undefined;
  product_type?: string | null | undefined;
  registered_as_inactive?: boolean | null | undefined;
  timestamp: string | Date;
  additional_properties?: readonly AdditionalProperty[] | null | undefined;
}

/**
 * What was done to find out whether a person or a company is who they claim to be.
 *
 * Rules:
 *
 * - At most one of related_person_id and related_company_id may be sent.
 */
export interface IdentityVerification {
  /** Unique identifier of the verification. */
  verification_id: string;
  /** Who did the verification. */
  verification_provider: string;
  /** What was verified, one by one. */
  verified_data: readonly IdentityVerificationVerifiedDataItem[];
  /** The overall result. */
  verification_overall_outcome?: string | null | undefined;
  /** How it was done. */
  verification_type?:
    "DOCUMENT_MATCH" | "DATABASE_MATCH" | "MANUAL_VERIFICATION" | null | undefined;
  /** Person that it is about. */
  related_person_id?: string | null | undefined;
  /** Company that it is about. */
  related_company_id?: string | null | undefined;
  /** When it happened (business time), with offset. */
  timestamp: string | Date;
  /** The sender's own fields. */
  additional_properties?: readonly AdditionalProperty[] | null | undefined;
}

/** One thing that was verified. */
export interface IdentityVerificationVerifiedDataItem {
  /** What it is, such as a name or a date of birth. */
  type: string;
  /** The result. */
  outcome: string;
  /** The value that was verified. */
  value?: string | null | undefined;
  /** Matched with an external source. */
  is_matched_externally?: boolean | null | undefined;
  /** Verified by a human. */
  is_manually_verified?: boolean | null | undefined;
}

/**
 * Changes to a record that exists. Null clears a field.
 *
 * Rules:
 *
 * - At most one of related_person_id and related_company_id may be sent.
 */
export interface IdentityVerificationUpdate {
  verification_id: string;
  verification_provider?: string | undefined;
  verified_data?: readonly IdentityVerificationVerifiedDataItem[] | undefined;
  verification_overall_outcome?: string | null | undefined;
  verification_type?:
    "DOCUMENT_MATCH" | "DATABASE_MATCH" | "MANUAL_VERIFICATION" | null | undefined;
  related_person_id?: string | null | undefined;
  related_company_id?: string | null | undefined;
  timestamp: string | Date;
  additional_properties?: readonly AdditionalProperty[] | null | undefined;
}

/**
 * The course and the result of the onboarding of a person or a company.
 *
 * Rules:
 *
 * - At most one of related_person_id and related_company_id may be sent.
 * - Lists and objects in outcome_reason are at most 14 levels deep, itself included.
 */
export interface OnboardingFlow {
  /** Unique identifier of the onboarding flow. */
  onboarding_flow_id: string;
  /** Name of the flow. */
  flow_name: string;
  /** The result. */
  outcome: string;
  /**
   * The reason of the result: one text, or any JSON values under keys of the sender's own, at most
   * 14 levels deep.
   */
  outcome_reason?: string | Readonly<Record<string, unknown>> | null | undefined;
  /** Person that it is about. */
  related_person_id?: string | null | undefined;
  /** Company that it is about. */
  related_company_id?: string | null | undefined;
  /** When it happened (business time), with offset. */
  timestamp: string | Date;
  /** The sender's own fields. */
  additional_properties?: readonly AdditionalProperty[] | null | undefined;
}

/**
 * Changes to a record that exists. Null clears a field.
 *
 * Rules:
 *
 * - At most one of related_person_id and related_company_id may be sent.
 * - Lists and objects in outcome_reason are at most 14 levels deep, itself included.
 */
export interface OnboardingFlowUpdate {
  onboarding_flow_id: string;
  flow_name?: string | undefined;
  outcome?: string | undefined;
  outcome_reason?: string | Readonly<Record<string, unknown>> | null | undefined;
  related_person_id?: string | null | undefined;
  related_company_id?: string | null | undefined;
  timestamp: string | Date;
  additional_properties?: readonly AdditionalProperty[] | null | undefined;
}

/**
 * A suspicious activity report about a customer.
 *
 * Rules:
 *
 * - At least one of related_person_id and related_company_id is required.
 */
export interface CustomerSar {
  /** Unique identifier of the report. */
  sar_id: string;
  /** How far the report has come. */
  status: "PENDING" | "FILED" | "CANCELLED";
  /** Why it is made. */
  sar_reason?: string | null | undefined;
  /** Person that it is about. */
  related_person_id?: string | null | undefined;
  /** Company that it is about. */
  related_company_id?: string | null | undefined;
  /** When it happened (business time), with offset. */
  timestamp: string | Date;
  /** The sender's own fields. */
  additional_properties?: readonly AdditionalProperty[] | null | undefined;
}

/** Changes to a record that exists. Null clears a field. */
export interface CustomerSarUpdate {
  sar_id: string;
  status?: "PENDING" | "FILED" | "CANCELLED" | undefined;
  sar_reason?: string | null | undefined;
  related_person_id?: string | null | undefined;
  related_company_id?: string | null | undefined;
  timestamp: string | Date;
  additional_properties?: readonly AdditionalProperty[] | null | undefined;
}
