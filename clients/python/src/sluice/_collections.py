"""Where the records of each type are reached, in both clients."""

# Generated from the service's schemas by `npm run docs`; a test fails if it is out of date.

from __future__ import annotations

from typing import TYPE_CHECKING

from ._async_collection import AsyncCollection, AsyncDeletableCollection
from ._collection import Collection, DeletableCollection, RecordPaths

if TYPE_CHECKING:
    from ._async_collection import AsyncSession
    from ._session import Session
    from .types import (
        Company,
        CompanyDeletionAccepted,
        CompanyExistence,
        CompanyUpdate,
        CustomerSar,
        CustomerSarExistence,
        CustomerSarUpdate,
        IdentityVerification,
        IdentityVerificationExistence,
        IdentityVerificationUpdate,
        OnboardingFlow,
        OnboardingFlowExistence,
        OnboardingFlowUpdate,
        Person,
        PersonDeletionAccepted,
        PersonExistence,
        PersonUpdate,
        RiskAssessment,
        RiskAssessmentExistence,
        RiskAssessmentUpdate,
        Screening,
        ScreeningExistence,
        ScreeningUpdate,
        Transaction,
        TransactionAlert,
        TransactionAlertExistence,
        TransactionAlertUpdate,
        TransactionCheck,
        TransactionCheckExistence,
        TransactionCheckUpdate,
        TransactionDeletionAccepted,
        TransactionExistence,
        TransactionSuspiciousActivity,
        TransactionSuspiciousActivityExistence,
        TransactionSuspiciousActivityUpdate,
        TransactionUpdate,
    )

PATHS = {
    "transactions": RecordPaths(
        type="transaction",
        id_field="tx_id",
        list_path="transactions/batch",
    ),
    "transaction_checks": RecordPaths(
        type="transaction_check",
        id_field="check_id",
        list_path="transaction_check",
    ),
    "transaction_alerts": RecordPaths(
        type="transaction_alert",
        id_field="alert_id",
        list_path="transaction_alert",
    ),
    "transaction_suspicious_activities": RecordPaths(
        type="transaction_suspicious_activity",
        id_field="suspicious_activity_id",
        list_path="transaction_suspicious_activity",
    ),
    "screenings": RecordPaths(
        type="screening",
        id_field="screening_id",
        list_path="screening",
    ),
    "risk_assessments": RecordPaths(
        type="risk_assessment",
        id_field="assessment_id",
        list_path="risk_assessment",
    ),
    "persons": RecordPaths(
        type="person",
        id_field="person_id",
        list_path="person",
    ),
    "companies": RecordPaths(
        type="company",
        id_field="company_id",
        list_path="company",
    ),
    "identity_verifications": RecordPaths(
        type="identity_verification",
        id_field="verification_id",
        list_path="identity_verification",
    ),
    "onboarding_flows": RecordPaths(
        type="onboarding_flow",
        id_field="onboarding_flow_id",
        list_path="onboarding_flow",
    ),
    "customer_sars": RecordPaths(
        type="customer_sar",
        id_field="sar_id",
        list_path="customer_sar",
    ),
}


class Collections:
    def __init__(self, session: Session) -> None:
        self.transactions: DeletableCollection[
            Transaction,
            TransactionUpdate,
            TransactionExistence,
            TransactionDeletionAccepted,
        ] = DeletableCollection(session, PATHS["transactions"])
        """Money that moves in, out or internally."""
        self.transaction_checks: Collection[
            TransactionCheck,
            TransactionCheckUpdate,
            TransactionCheckExistence,
        ] = Collection(session, PATHS["transaction_checks"])
        """A check that was run on transactions."""
        self.transaction_alerts: Collection[
            TransactionAlert,
            TransactionAlertUpdate,
            TransactionAlertExistence,
        ] = Collection(session, PATHS["transaction_alerts"])
        """An alert that a check of transactions raised."""
        self.transaction_suspicious_activities: Collection[
            TransactionSuspiciousActivity,
            TransactionSuspiciousActivityUpdate,
            TransactionSuspiciousActivityExistence,
        ] = Collection(session, PATHS["transaction_suspicious_activities"])
        """A suspicion of crime about transactions."""
        self.screenings: Collection[
            Screening,
            ScreeningUpdate,
            ScreeningExistence,
        ] = Collection(session, PATHS["screenings"])
        """A search in lists of sanctions, politically exposed persons and the like."""
        self.risk_assessments: Collection[
            RiskAssessment,
            RiskAssessmentUpdate,
            RiskAssessmentExistence,
        ] = Collection(session, PATHS["risk_assessments"])
        """An assessment of the risk of a person or a company."""
        self.persons: DeletableCollection[
            Person,
            PersonUpdate,
            PersonExistence,
            PersonDeletionAccepted,
        ] = DeletableCollection(session, PATHS["persons"])
        """A customer, or somebody with a role in a company."""
        self.companies: DeletableCollection[
            Company,
            CompanyUpdate,
            CompanyExistence,
            CompanyDeletionAccepted,
        ] = DeletableCollection(session, PATHS["companies"])
        """A customer that is not a person, or a company for which persons act."""
        self.identity_verifications: Collection[
            IdentityVerification,
            IdentityVerificationUpdate,
            IdentityVerificationExistence,
        ] = Collection(session, PATHS["identity_verifications"])
        """What was done to find out whether a person or a company is who they claim to be."""
        self.onboarding_flows: Collection[
            OnboardingFlow,
            OnboardingFlowUpdate,
            OnboardingFlowExistence,
        ] = Collection(session, PATHS["onboarding_flows"])
        """The course and the result of the onboarding of a person or a company."""
        self.customer_sars: Collection[
            CustomerSar,
            CustomerSarUpdate,
            CustomerSarExistence,
        ] = Collection(session, PATHS["customer_sars"])
        """A suspicious activity report about a customer."""


class AsyncCollections:
    def __init__(self, session: AsyncSession) -> None:
        self.transactions: AsyncDeletableCollection[
            Transaction,
            TransactionUpdate,
            TransactionExistence,
            TransactionDeletionAccepted,
        ] = AsyncDeletableCollection(session, PATHS["transactions"])
        """Money that moves in, out or internally."""
        self.transaction_checks: AsyncCollection[
            TransactionCheck,
            TransactionCheckUpdate,
            TransactionCheckExistence,
        ] = AsyncCollection(session, PATHS["transaction_checks"])
        """A check that was run on transactions."""
        self.transaction_alerts: AsyncCollection[
            TransactionAlert,
            TransactionAlertUpdate,
            TransactionAlertExistence,
        ] = AsyncCollection(session, PATHS["transaction_alerts"])
        """An alert that a check of transactions raised."""
        self.transaction_suspicious_activities: AsyncCollection[
            TransactionSuspiciousActivity,
            TransactionSuspiciousActivityUpdate,
            TransactionSuspiciousActivityExistence,
        ] = AsyncCollection(session, PATHS["transaction_suspicious_activities"])
        """A suspicion of crime about transactions."""
        self.screenings: AsyncCollection[
            Screening,
            ScreeningUpdate,
            ScreeningExistence,
        ] = AsyncCollection(session, PATHS["screenings"])
        """A search in lists of sanctions, politically exposed persons and the like."""
        self.risk_assessments: AsyncCollection[
            RiskAssessment,
            RiskAssessmentUpdate,
            RiskAssessmentExistence,
        ] = AsyncCollection(session, PATHS["risk_assessments"])
        """An assessment of the risk of a person or a company."""
        self.persons: AsyncDeletableCollection[
            Person,
            PersonUpdate,
            PersonExistence,
            PersonDeletionAccepted,
        ] = AsyncDeletableCollection(session, PATHS["persons"])
        """A customer, or somebody with a role in a company."""
        self.companies: AsyncDeletableCollection[
            Company,
            CompanyUpdate,
            CompanyExistence,
            CompanyDeletionAccepted,
        ] = AsyncDeletableCollection(session, PATHS["companies"])
        """A customer that is not a person, or a company for which persons act."""
        self.identity_verifications: AsyncCollection[
            IdentityVerification,
            IdentityVerificationUpdate,
            IdentityVerificationExistence,
        ] = AsyncCollection(session, PATHS["identity_verifications"])
        """What was done to find out whether a person or a company is who they claim to be."""
        self.onboarding_flows: AsyncCollection[
            OnboardingFlow,
            OnboardingFlowUpdate,
            OnboardingFlowExistence,
        ] = AsyncCollection(session, PATHS["onboarding_flows"])
        """The course and the result of the onboarding of a person or a company."""
        self.customer_sars: AsyncCollection[
            CustomerSar,
            CustomerSarUpdate,
            CustomerSarExistence,
        ] = AsyncCollection(session, PATHS["customer_sars"])
        """A suspicious activity report about a customer."""
