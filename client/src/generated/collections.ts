// Where the records of each type are reached.
// Generated from the service's schemas by `npm run docs`; a test fails if it is out of date.

import { Collection, DeletableCollection } from "../collection.ts";
import type { Session } from "../session.ts";
import type {
  Company,
  CompanyUpdate,
  CustomerSar,
  CustomerSarUpdate,
  IdentityVerification,
  IdentityVerificationUpdate,
  OnboardingFlow,
  OnboardingFlowUpdate,
  Person,
  PersonUpdate,
  RiskAssessment,
  RiskAssessmentUpdate,
  Screening,
  ScreeningUpdate,
  Transaction,
  TransactionAlert,
  TransactionAlertUpdate,
  TransactionCheck,
  TransactionCheckUpdate,
  TransactionSuspiciousActivity,
  TransactionSuspiciousActivityUpdate,
  TransactionUpdate,
} from "./records.ts";
import type {
  CompanyDeletionAccepted,
  CompanyExistence,
  CustomerSarExistence,
  IdentityVerificationExistence,
  OnboardingFlowExistence,
  PersonDeletionAccepted,
  PersonExistence,
  RiskAssessmentExistence,
  ScreeningExistence,
  TransactionAlertExistence,
  TransactionCheckExistence,
  TransactionDeletionAccepted,
  TransactionExistence,
  TransactionSuspiciousActivityExistence,
} from "./replies.ts";

export class Collections {
  /** Money that moves in, out or internally. */
  readonly transactions: DeletableCollection<
    Transaction,
    TransactionUpdate,
    TransactionExistence,
    TransactionDeletionAccepted
  >;
  /** A check that was run on transactions. */
  readonly transactionChecks: Collection<
    TransactionCheck,
    TransactionCheckUpdate,
    TransactionCheckExistence
  >;
  /** An alert that a check of transactions raised. */
  readonly transactionAlerts: Collection<
    TransactionAlert,
    TransactionAlertUpdate,
    TransactionAlertExistence
  >;
  /** A suspicion of crime about transactions. */
  readonly transactionSuspiciousActivities: Collection<
    TransactionSuspiciousActivity,
    TransactionSuspiciousActivityUpdate,
    TransactionSuspiciousActivityExistence
  >;
  /** A search in lists of sanctions, politically exposed persons and the like. */
  readonly screenings: Collection<Screening, ScreeningUpdate, ScreeningExistence>;
  /** An assessment of the risk of a person or a company. */
  readonly riskAssessments: Collection<
    RiskAssessment,
    RiskAssessmentUpdate,
    RiskAssessmentExistence
  >;
  /** A customer, or somebody with a role in a company. */
  readonly persons: DeletableCollection<
    Person,
    PersonUpdate,
    PersonExistence,
    PersonDeletionAccepted
  >;
  /** A customer that is not a person, or a company for which persons act. */
  readonly companies: DeletableCollection<
    Company,
    CompanyUpdate,
    CompanyExistence,
    CompanyDeletionAccepted
  >;
  /** What was done to find out whether a person or a company is who they claim to be. */
  readonly identityVerifications: Collection<
    IdentityVerification,
    IdentityVerificationUpdate,
    IdentityVerificationExistence
  >;
  /** The course and the result of the onboarding of a person or a company. */
  readonly onboardingFlows: Collection<
    OnboardingFlow,
    OnboardingFlowUpdate,
    OnboardingFlowExistence
  >;
  /** A suspicious activity report about a customer. */
  readonly customerSars: Collection<CustomerSar, CustomerSarUpdate, CustomerSarExistence>;

  constructor(session: Session) {
    this.transactions = new DeletableCollection(session, {
      type: "transaction",
      idField: "tx_id",
      listPath: "transactions/batch",
    });
    this.transactionChecks = new Collection(session, {
      type: "transaction_check",
      idField: "check_id",
    });
    this.transactionAlerts = new Collection(session, {
      type: "transaction_alert",
      idField: "alert_id",
    });
    this.transactionSuspiciousActivities = new Collection(session, {
      type: "transaction_suspicious_activity",
      idField: "suspicious_activity_id",
    });
    this.screenings = new Collection(session, {
      type: "screening",
      idField: "screening_id",
    });
    this.riskAssessments = new Collection(session, {
      type: "risk_assessment",
      idField: "assessment_id",
    });
    this.persons = new DeletableCollection(session, {
      type: "person",
      idField: "person_id",
    });
    this.companies = new DeletableCollection(session, {
      type: "company",
      idField: "company_id",
    });
    this.identityVerifications = new Collection(session, {
      type: "identity_verification",
      idField: "verification_id",
    });
    this.onboardingFlows = new Collection(session, {
      type: "onboarding_flow",
      idField: "onboarding_flow_id",
    });
    this.customerSars = new Collection(session, {
      type: "customer_sar",
      idField: "sar_id",
    });
  }
}
