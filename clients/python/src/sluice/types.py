"""What is sent and what is answered: plain dictionaries, with types for checkers and editors."""

# Generated from the service's schemas by `npm run docs`; a test fails if it is out of date.

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any, Dict, List, Literal, Mapping, Sequence, TypedDict, Union

__all__ = [
    "AccessToken",
    "AccessTokenScope",
    "AdditionalProperty",
    "Address",
    "ChangeEvent",
    "Company",
    "CompanyAddressesItem",
    "CompanyDeletionAccepted",
    "CompanyExistence",
    "CompanyIndustryClassification",
    "CompanyRegistrationNumber",
    "CompanyUpdate",
    "CountryCode",
    "CurrencyCode",
    "CustomerSar",
    "CustomerSarExistence",
    "CustomerSarUpdate",
    "DeletionBasis",
    "DeletionReceipt",
    "DeletionReceiptAsked",
    "DeletionReceiptCarriedOutAgain",
    "DeletionReceiptVerification",
    "DeletionStatus",
    "DisclosedApproval",
    "DisclosedBasis",
    "DisclosedCount",
    "DisclosedCounts",
    "DisclosedPerson",
    "ErrorItem",
    "IdentityVerification",
    "IdentityVerificationExistence",
    "IdentityVerificationUpdate",
    "IdentityVerificationVerifiedDataItem",
    "InformedRecipient",
    "NationalityCode",
    "OnboardingFlow",
    "OnboardingFlowExistence",
    "OnboardingFlowUpdate",
    "Person",
    "PersonDeletionAccepted",
    "PersonExistence",
    "PersonNationalIdentificationNumber",
    "PersonUpdate",
    "ReceiptApproval",
    "ReceiptCountHashes",
    "RecipientStatement",
    "RecipientStatementRecipientsItem",
    "RiskAssessment",
    "RiskAssessmentExistence",
    "RiskAssessmentUpdate",
    "Scope",
    "Screening",
    "ScreeningExistence",
    "ScreeningUpdate",
    "Transaction",
    "TransactionAlert",
    "TransactionAlertExistence",
    "TransactionAlertUpdate",
    "TransactionCheck",
    "TransactionCheckExistence",
    "TransactionCheckUpdate",
    "TransactionDeletionAccepted",
    "TransactionExistence",
    "TransactionSuspiciousActivity",
    "TransactionSuspiciousActivityExistence",
    "TransactionSuspiciousActivityUpdate",
    "TransactionUpdate",
    "WriteItemResult",
    "WriteResult",
]


class _TransactionRequired(TypedDict):
    tx_id: str
    """Unique identifier of the transaction."""
    type: Literal["DEPOSIT", "WITHDRAWAL"]
    """Which way the money moves."""
    method: Literal[
        "WIRE",
        "ACH",
        "SWIFT",
        "SEPA",
        "APPLE_PAY",
        "GOOGLE_PAY",
        "CHECK_DEPOSIT",
        "INTERNAL_TRANSFER",
        "RTP",
        "FEDNOW",
        "PROV_X_TRANSFER",
        "CARD",
    ]
    """How the money moves."""
    amount: Union[float, Decimal, None]
    """Amount in `currency`; may be negative or zero, and null if it is unknown."""
    currency: CurrencyCode
    """Currency of `amount`, which was valid at `timestamp`."""
    status: Literal["CREATED", "PENDING", "SETTLED", "FAILED", "REJECTED", "REFUNDED"]
    """State of the transaction."""
    timestamp: Union[str, datetime]
    """When it happened (business time), with offset."""


class Transaction(_TransactionRequired, total=False):
    """
    Money that moves in, out or internally.

    Rules:

    - At least one of sender_id and receiver_id is required.
    - sender_country is required when sender_id is sent.
    - receiver_country is required when receiver_id is sent.
    """

    is_test: Union[bool, None]
    """Made for a test, not real. Counts as false if left out."""
    amount_usd: Union[float, Decimal, None]
    """Amount in US dollars."""
    sender_id: Union[str, None]
    """Who sends the money."""
    sender_country: Union[CountryCode, None]
    """Country that the money comes from."""
    receiver_id: Union[str, None]
    """Who receives the money."""
    receiver_country: Union[CountryCode, None]
    """Country that the money goes to."""
    additional_properties: Union[Sequence[AdditionalProperty], None]
    """The sender's own fields."""


CurrencyCode = str
"""
An ISO 4217 currency code, active or historic; one withdrawn before 2021 only for times at which it
was valid.
"""


CountryCode = str
"""An ISO 3166-1 alpha-2 country code, or XK (Kosovo)."""


class _AdditionalPropertyRequired(TypedDict):
    key: str
    """Name, unique in the list."""
    value: str
    """Value, always as text."""
    type: Literal["STRING", "NUMBER", "BOOLEAN", "OBJECT", "ARRAY"]
    """What the text stands for."""


class AdditionalProperty(_AdditionalPropertyRequired, total=False):
    """One of the sender's own fields."""

    description: Union[str, None]
    """What it means."""


class _TransactionUpdateRequired(TypedDict):
    tx_id: str
    timestamp: Union[str, datetime]


class TransactionUpdate(_TransactionUpdateRequired, total=False):
    """Changes to a record that exists. Null clears a field."""

    type: Literal["DEPOSIT", "WITHDRAWAL"]
    method: Literal[
        "WIRE",
        "ACH",
        "SWIFT",
        "SEPA",
        "APPLE_PAY",
        "GOOGLE_PAY",
        "CHECK_DEPOSIT",
        "INTERNAL_TRANSFER",
        "RTP",
        "FEDNOW",
        "PROV_X_TRANSFER",
        "CARD",
    ]
    amount: Union[float, Decimal, None]
    currency: CurrencyCode
    status: Literal["CREATED", "PENDING", "SETTLED", "FAILED", "REJECTED", "REFUNDED"]
    is_test: Union[bool, None]
    amount_usd: Union[float, Decimal, None]
    sender_id: Union[str, None]
    sender_country: Union[CountryCode, None]
    receiver_id: Union[str, None]
    receiver_country: Union[CountryCode, None]
    additional_properties: Union[Sequence[AdditionalProperty], None]


class _TransactionCheckRequired(TypedDict):
    check_id: str
    """Unique identifier of the check."""
    status: Literal["PENDING", "COMPLETED", "REQUESTED", "ASSIGNED", "FAILED"]
    """How far the check has come."""
    type: Literal["INLINE_MONITORING", "DELAYED_MONITORING"]
    """Whether the transaction waited for the check."""
    timestamp: Union[str, datetime]
    """When it happened (business time), with offset."""


class TransactionCheck(_TransactionCheckRequired, total=False):
    """A check that was run on transactions."""

    is_test: Union[bool, None]
    """Made for a test, not real."""
    related_tx_ids: Union[Sequence[str], None]
    """Transactions that were checked."""
    related_tx_id: Union[str, None]
    """Transaction that was checked; send `related_tx_ids` instead."""
    additional_properties: Union[Sequence[AdditionalProperty], None]
    """The sender's own fields."""


class _TransactionCheckUpdateRequired(TypedDict):
    check_id: str
    timestamp: Union[str, datetime]


class TransactionCheckUpdate(_TransactionCheckUpdateRequired, total=False):
    """Changes to a record that exists. Null clears a field."""

    status: Literal["PENDING", "COMPLETED", "REQUESTED", "ASSIGNED", "FAILED"]
    type: Literal["INLINE_MONITORING", "DELAYED_MONITORING"]
    is_test: Union[bool, None]
    related_tx_ids: Union[Sequence[str], None]
    related_tx_id: Union[str, None]
    additional_properties: Union[Sequence[AdditionalProperty], None]


class _TransactionAlertRequired(TypedDict):
    alert_id: str
    """Unique identifier of the alert."""
    status: Literal["CREATED", "PENDING", "CLOSED"]
    """How far the alert has come."""
    timestamp: Union[str, datetime]
    """When it happened (business time), with offset."""


class TransactionAlert(_TransactionAlertRequired, total=False):
    """An alert that a check of transactions raised."""

    check_type: Union[Literal["INLINE_MONITORING", "DELAYED_MONITORING"], None]
    """Type of the check that raised it."""
    related_check_id: Union[str, None]
    """Check that raised it."""
    related_tx_ids: Union[Sequence[str], None]
    """Transactions that it is about."""
    is_test: Union[bool, None]
    """Made for a test, not real."""
    additional_properties: Union[Sequence[AdditionalProperty], None]
    """The sender's own fields."""


class _TransactionAlertUpdateRequired(TypedDict):
    alert_id: str
    timestamp: Union[str, datetime]


class TransactionAlertUpdate(_TransactionAlertUpdateRequired, total=False):
    """Changes to a record that exists. Null clears a field."""

    status: Literal["CREATED", "PENDING", "CLOSED"]
    check_type: Union[Literal["INLINE_MONITORING", "DELAYED_MONITORING"], None]
    related_check_id: Union[str, None]
    related_tx_ids: Union[Sequence[str], None]
    is_test: Union[bool, None]
    additional_properties: Union[Sequence[AdditionalProperty], None]


class _TransactionSuspiciousActivityRequired(TypedDict):
    suspicious_activity_id: str
    """Unique identifier of the suspicious activity."""
    detection_date: Union[str, datetime]
    """When it was noticed."""
    timestamp: Union[str, datetime]
    """When it happened (business time), with offset."""


class TransactionSuspiciousActivity(_TransactionSuspiciousActivityRequired, total=False):
    """A suspicion of crime about transactions."""

    report_id: Union[str, None]
    """The report to the authority."""
    report_filed_at: Union[str, datetime, None]
    """When the report was filed."""
    related_tx_ids: Union[Sequence[str], None]
    """Transactions that it is about."""
    related_alert_id: Union[str, None]
    """Alert that led to it."""
    is_test: Union[bool, None]
    """Made for a test, not real."""
    additional_properties: Union[Sequence[AdditionalProperty], None]
    """The sender's own fields."""


class _TransactionSuspiciousActivityUpdateRequired(TypedDict):
    suspicious_activity_id: str
    timestamp: Union[str, datetime]


class TransactionSuspiciousActivityUpdate(_TransactionSuspiciousActivityUpdateRequired, total=False):
    """Changes to a record that exists. Null clears a field."""

    detection_date: Union[str, datetime]
    report_id: Union[str, None]
    report_filed_at: Union[str, datetime, None]
    related_tx_ids: Union[Sequence[str], None]
    related_alert_id: Union[str, None]
    is_test: Union[bool, None]
    additional_properties: Union[Sequence[AdditionalProperty], None]


class _ScreeningRequired(TypedDict):
    screening_id: str
    """Unique identifier of the screening."""
    type: Literal["ADVERSE_MEDIA", "AML", "PEP", "SANCTION"]
    """What was searched for."""
    outcome: Literal[
        "POSITIVE",
        "NEGATIVE",
        "FALSE_NEGATIVE",
        "FALSE_POSITIVE",
        "TRUE_NEGATIVE",
        "TRUE_POSITIVE",
        "SCREENED",
    ]
    """The result."""
    provider: str
    """Who did the screening."""
    lists: Sequence[str]
    """Lists that were searched."""
    timestamp: Union[str, datetime]
    """When it happened (business time), with offset."""


class Screening(_ScreeningRequired, total=False):
    """
    A search in lists of sanctions, politically exposed persons and the like.

    Rules:

    - At most one of related_tx_id, related_person_id and related_company_id may be sent.
    """

    outcome_details: Union[str, None]
    """More about the outcome."""
    related_tx_id: Union[str, None]
    """Transaction that it is about."""
    related_person_id: Union[str, None]
    """Person that it is about."""
    related_company_id: Union[str, None]
    """Company that it is about."""
    additional_properties: Union[Sequence[AdditionalProperty], None]
    """The sender's own fields."""


class _ScreeningUpdateRequired(TypedDict):
    screening_id: str
    timestamp: Union[str, datetime]


class ScreeningUpdate(_ScreeningUpdateRequired, total=False):
    """
    Changes to a record that exists. Null clears a field.

    Rules:

    - At most one of related_tx_id, related_person_id and related_company_id may be sent.
    """

    type: Literal["ADVERSE_MEDIA", "AML", "PEP", "SANCTION"]
    outcome: Literal[
        "POSITIVE",
        "NEGATIVE",
        "FALSE_NEGATIVE",
        "FALSE_POSITIVE",
        "TRUE_NEGATIVE",
        "TRUE_POSITIVE",
        "SCREENED",
    ]
    provider: str
    lists: Sequence[str]
    outcome_details: Union[str, None]
    related_tx_id: Union[str, None]
    related_person_id: Union[str, None]
    related_company_id: Union[str, None]
    additional_properties: Union[Sequence[AdditionalProperty], None]


class _RiskAssessmentRequired(TypedDict):
    assessment_id: str
    """Unique identifier of the risk assessment."""
    type: str
    """What was assessed, such as "onboarding risk band"."""
    outcome: str
    """The result, such as LOW, MEDIUM, HIGH or CRITICAL."""
    timestamp: Union[str, datetime]
    """When it happened (business time), with offset."""


class RiskAssessment(_RiskAssessmentRequired, total=False):
    """
    An assessment of the risk of a person or a company.

    Rules:

    - At most one of related_person_id and related_company_id may be sent.
    """

    related_person_id: Union[str, None]
    """Person that it is about."""
    related_company_id: Union[str, None]
    """Company that it is about."""
    additional_properties: Union[Sequence[AdditionalProperty], None]
    """The sender's own fields."""


class _RiskAssessmentUpdateRequired(TypedDict):
    assessment_id: str
    timestamp: Union[str, datetime]


class RiskAssessmentUpdate(_RiskAssessmentUpdateRequired, total=False):
    """
    Changes to a record that exists. Null clears a field.

    Rules:

    - At most one of related_person_id and related_company_id may be sent.
    """

    type: str
    outcome: str
    related_person_id: Union[str, None]
    related_company_id: Union[str, None]
    additional_properties: Union[Sequence[AdditionalProperty], None]


class _PersonRequired(TypedDict):
    person_id: str
    """Unique identifier of the person."""
    is_test_user: bool
    """Made for a test, not real."""
    is_retail_customer: bool
    """A customer in their own right, not for a company."""
    timestamp: Union[str, datetime]
    """When it happened (business time), with offset."""


class Person(_PersonRequired, total=False):
    """
    A customer, or somebody with a role in a company.

    Rules:

    - is_beneficial_owner, is_director, is_account_owner and is_shareholder are required when
    is_retail_customer is false.
    """

    is_beneficial_owner: Union[bool, None]
    """Owns the company in the end."""
    is_director: Union[bool, None]
    """Directs the company."""
    is_account_owner: Union[bool, None]
    """Owns the account."""
    is_shareholder: Union[bool, None]
    """Holds shares in the company."""
    related_company_id: Union[str, None]
    """Company to which the person is related."""
    is_sole_prop: Union[bool, None]
    """Trades as a sole proprietor."""
    is_significant_control_person: Union[bool, None]
    """Controls the company to a significant degree."""
    ownership_percentage: Union[float, Decimal, None]
    """Share of the company that the person owns."""
    account_status: Union[Literal["APPROVED", "BLOCKED", "CLOSED", "PENDING", "REJECTED"], None]
    """State of the account."""
    name: Union[str, None]
    """Full name."""
    first_name: Union[str, None]
    """First name."""
    last_name: Union[str, None]
    """Last name."""
    email: Union[str, None]
    """Email address."""
    address: Union[Address, None]
    """A postal address."""
    phone_number: Union[str, None]
    """Phone number."""
    date_of_birth: Union[str, date, None]
    """Date of birth."""
    nationality: Union[NationalityCode, None]
    """Nationality."""
    occupation: Union[str, None]
    """Occupation."""
    first_transaction_completed_at: Union[str, datetime, None]
    """When the first transaction was completed."""
    national_identification_number: Union[PersonNationalIdentificationNumber, None]
    """A number that a state gave to the person."""
    product_type: Union[str, None]
    """Product that the person uses."""
    additional_properties: Union[Sequence[AdditionalProperty], None]
    """The sender's own fields."""


class PersonNationalIdentificationNumber(TypedDict):
    type: str
    """Which number it is, such as a passport or a tax number."""
    value: str
    """The number."""


class Address(TypedDict, total=False):
    """A postal address."""

    lines: Union[Sequence[str], None]
    """Street lines."""
    city: Union[str, None]
    """City."""
    state: Union[str, None]
    """State or province."""
    county: Union[str, None]
    """County."""
    postal_code: Union[str, None]
    """Postal code."""
    country: Union[str, None]
    """Country."""


NationalityCode = str
"""An ISO 3166-1 alpha-2 or alpha-3 country code, or XK or XKX (Kosovo)."""


class _PersonUpdateRequired(TypedDict):
    person_id: str
    timestamp: Union[str, datetime]


class PersonUpdate(_PersonUpdateRequired, total=False):
    """Changes to a record that exists. Null clears a field."""

    is_test_user: bool
    is_retail_customer: bool
    is_beneficial_owner: Union[bool, None]
    is_director: Union[bool, None]
    is_account_owner: Union[bool, None]
    is_shareholder: Union[bool, None]
    related_company_id: Union[str, None]
    is_sole_prop: Union[bool, None]
    is_significant_control_person: Union[bool, None]
    ownership_percentage: Union[float, Decimal, None]
    account_status: Union[Literal["APPROVED", "BLOCKED", "CLOSED", "PENDING", "REJECTED"], None]
    name: Union[str, None]
    first_name: Union[str, None]
    last_name: Union[str, None]
    email: Union[str, None]
    address: Union[Address, None]
    phone_number: Union[str, None]
    date_of_birth: Union[str, date, None]
    nationality: Union[NationalityCode, None]
    occupation: Union[str, None]
    first_transaction_completed_at: Union[str, datetime, None]
    national_identification_number: Union[PersonNationalIdentificationNumber, None]
    product_type: Union[str, None]
    additional_properties: Union[Sequence[AdditionalProperty], None]


class _CompanyRequired(TypedDict):
    company_id: str
    """Unique identifier of the company."""
    is_test_company: bool
    """Made for a test, not real."""
    timestamp: Union[str, datetime]
    """When it happened (business time), with offset."""


class Company(_CompanyRequired, total=False):
    """A customer that is not a person, or a company for which persons act."""

    account_status: Union[Literal["APPROVED", "BLOCKED", "CLOSED", "PENDING", "REJECTED"], None]
    """State of the account."""
    legal_name: Union[str, None]
    """Name in the register."""
    trading_name: Union[str, None]
    """Name under which it trades."""
    email: Union[str, None]
    """Email address."""
    addresses: Union[Sequence[CompanyAddressesItem], None]
    """Where the company is found."""
    phone_number: Union[str, None]
    """Phone number."""
    type: Union[str, None]
    """Legal form."""
    registration_number: Union[CompanyRegistrationNumber, None]
    """Number under which the company is registered."""
    incorporation_date: Union[str, date, None]
    """When it was incorporated."""
    incorporation_country: Union[str, None]
    """Country of incorporation."""
    incorporation_state: Union[str, None]
    """State or province of incorporation."""
    primary_operation_country: Union[str, None]
    """Country where it mostly operates."""
    industry: Union[str, None]
    """Industry, in words."""
    industry_classification: Union[CompanyIndustryClassification, None]
    """What the company does, by a published classification."""
    source_of_wealth: Union[str, None]
    """Where its wealth comes from."""
    source_of_funds: Union[str, None]
    """Where its funds come from."""
    first_transaction_completed_at: Union[str, datetime, None]
    """When the first transaction was completed."""
    product_type: Union[str, None]
    """Product that the company uses."""
    registered_as_inactive: Union[bool, None]
    """The register shows it as inactive."""
    additional_properties: Union[Sequence[AdditionalProperty], None]
    """The sender's own fields."""


class CompanyAddressesItem(TypedDict, total=False):
    """An address of the company."""

    type: Union[str, None]
    """What the address is for, such as registered or trading."""
    address: Union[Address, None]
    """A postal address."""


class CompanyRegistrationNumber(TypedDict):
    type: str
    """Which register or number it is."""
    value: str
    """The number."""


class _CompanyIndustryClassificationRequired(TypedDict):
    code_type: str
    """Which classification, such as NACE or SIC."""
    code: Sequence[str]
    """Codes in it."""


class CompanyIndustryClassification(_CompanyIndustryClassificationRequired, total=False):
    description: Union[str, None]
    """What the codes mean."""


class _CompanyUpdateRequired(TypedDict):
    company_id: str
    timestamp: Union[str, datetime]


class CompanyUpdate(_CompanyUpdateRequired, total=False):
    """Changes to a record that exists. Null clears a field."""

    is_test_company: bool
    account_status: Union[Literal["APPROVED", "BLOCKED", "CLOSED", "PENDING", "REJECTED"], None]
    legal_name: Union[str, None]
    trading_name: Union[str, None]
    email: Union[str, None]
    addresses: Union[Sequence[CompanyAddressesItem], None]
    phone_number: Union[str, None]
    type: Union[str, None]
    registration_number: Union[CompanyRegistrationNumber, None]
    incorporation_date: Union[str, date, None]
    incorporation_country: Union[str, None]
    incorporation_state: Union[str, None]
    primary_operation_country: Union[str, None]
    industry: Union[str, None]
    industry_classification: Union[CompanyIndustryClassification, None]
    source_of_wealth: Union[str, None]
    source_of_funds: Union[str, None]
    first_transaction_completed_at: Union[str, datetime, None]
    product_type: Union[str, None]
    registered_as_inactive: Union[bool, None]
    additional_properties: Union[Sequence[AdditionalProperty], None]


class _IdentityVerificationRequired(TypedDict):
    verification_id: str
    """Unique identifier of the verification."""
    verification_provider: str
    """Who did the verification."""
    verified_data: Sequence[IdentityVerificationVerifiedDataItem]
    """What was verified, one by one."""
    timestamp: Union[str, datetime]
    """When it happened (business time), with offset."""


class IdentityVerification(_IdentityVerificationRequired, total=False):
    """
    What was done to find out whether a person or a company is who they claim to be.

    Rules:

    - At most one of related_person_id and related_company_id may be sent.
    """

    verification_overall_outcome: Union[str, None]
    """The overall result."""
    verification_type: Union[
        Literal["DOCUMENT_MATCH", "DATABASE_MATCH", "MANUAL_VERIFICATION"],
        None,
    ]
    """How it was done."""
    related_person_id: Union[str, None]
    """Person that it is about."""
    related_company_id: Union[str, None]
    """Company that it is about."""
    additional_properties: Union[Sequence[AdditionalProperty], None]
    """The sender's own fields."""


class _IdentityVerificationVerifiedDataItemRequired(TypedDict):
    type: str
    """What it is, such as a name or a date of birth."""
    outcome: str
    """The result."""


class IdentityVerificationVerifiedDataItem(_IdentityVerificationVerifiedDataItemRequired, total=False):
    """One thing that was verified."""

    value: Union[str, None]
    """The value that was verified."""
    is_matched_externally: Union[bool, None]
    """Matched with an external source."""
    is_manually_verified: Union[bool, None]
    """Verified by a human."""


class _IdentityVerificationUpdateRequired(TypedDict):
    verification_id: str
    timestamp: Union[str, datetime]


class IdentityVerificationUpdate(_IdentityVerificationUpdateRequired, total=False):
    """
    Changes to a record that exists. Null clears a field.

    Rules:

    - At most one of related_person_id and related_company_id may be sent.
    """

    verification_provider: str
    verified_data: Sequence[IdentityVerificationVerifiedDataItem]
    verification_overall_outcome: Union[str, None]
    verification_type: Union[
        Literal["DOCUMENT_MATCH", "DATABASE_MATCH", "MANUAL_VERIFICATION"],
        None,
    ]
    related_person_id: Union[str, None]
    related_company_id: Union[str, None]
    additional_properties: Union[Sequence[AdditionalProperty], None]


class _OnboardingFlowRequired(TypedDict):
    onboarding_flow_id: str
    """Unique identifier of the onboarding flow."""
    flow_name: str
    """Name of the flow."""
    outcome: str
    """The result."""
    timestamp: Union[str, datetime]
    """When it happened (business time), with offset."""


class OnboardingFlow(_OnboardingFlowRequired, total=False):
    """
    The course and the result of the onboarding of a person or a company.

    Rules:

    - At most one of related_person_id and related_company_id may be sent.
    - Lists and objects in outcome_reason are at most 14 levels deep, itself included.
    """

    outcome_reason: Union[str, Mapping[str, Any], None]
    """
    The reason of the result: one text, or any JSON values under keys of the sender's own, at most
    14 levels deep.
    """
    related_person_id: Union[str, None]
    """Person that it is about."""
    related_company_id: Union[str, None]
    """Company that it is about."""
    additional_properties: Union[Sequence[AdditionalProperty], None]
    """The sender's own fields."""


class _OnboardingFlowUpdateRequired(TypedDict):
    onboarding_flow_id: str
    timestamp: Union[str, datetime]


class OnboardingFlowUpdate(_OnboardingFlowUpdateRequired, total=False):
    """
    Changes to a record that exists. Null clears a field.

    Rules:

    - At most one of related_person_id and related_company_id may be sent.
    - Lists and objects in outcome_reason are at most 14 levels deep, itself included.
    """

    flow_name: str
    outcome: str
    outcome_reason: Union[str, Mapping[str, Any], None]
    related_person_id: Union[str, None]
    related_company_id: Union[str, None]
    additional_properties: Union[Sequence[AdditionalProperty], None]


class _CustomerSarRequired(TypedDict):
    sar_id: str
    """Unique identifier of the report."""
    status: Literal["PENDING", "FILED", "CANCELLED"]
    """How far the report has come."""
    timestamp: Union[str, datetime]
    """When it happened (business time), with offset."""


class CustomerSar(_CustomerSarRequired, total=False):
    """
    A suspicious activity report about a customer.

    Rules:

    - At least one of related_person_id and related_company_id is required.
    """

    sar_reason: Union[str, None]
    """Why it is made."""
    related_person_id: Union[str, None]
    """Person that it is about."""
    related_company_id: Union[str, None]
    """Company that it is about."""
    additional_properties: Union[Sequence[AdditionalProperty], None]
    """The sender's own fields."""


class _CustomerSarUpdateRequired(TypedDict):
    sar_id: str
    timestamp: Union[str, datetime]


class CustomerSarUpdate(_CustomerSarUpdateRequired, total=False):
    """Changes to a record that exists. Null clears a field."""

    status: Literal["PENDING", "FILED", "CANCELLED"]
    sar_reason: Union[str, None]
    related_person_id: Union[str, None]
    related_company_id: Union[str, None]
    additional_properties: Union[Sequence[AdditionalProperty], None]


class _AccessTokenRequired(TypedDict):
    token: str
    """The access token, for `Authorization: Bearer <token>`."""
    expiry: int
    """
    Expiration time as Unix time, in seconds: as requested, or when the API key ends if that is
    sooner.
    """
    organization_id: str
    """Organization for which the token was requested."""
    organization_name: str
    """Name of that organization."""
    scopes: AccessTokenScope


class AccessToken(_AccessTokenRequired, total=False):
    """An access token; returned once and never stored."""

    access_token: str
    """The same as `token`, in the reply to a form."""
    token_type: str
    """`Bearer`, in the reply to a form."""
    expires_in: int
    """The lifetime in seconds, in the reply to a form."""
    scope: str
    """The granted scopes, separated by spaces, in the reply to a form."""


class AccessTokenScope(TypedDict):
    """Scope grant requested."""

    organization_id: str
    """Organization for which the token is requested."""
    scopes: List[Scope]
    """Scopes the token is to have."""


Scope = Literal[
    "transactions:read",
    "transactions:write",
    "risk_assessment:read",
    "risk_assessment:write",
    "screening:read",
    "screening:write",
    "person:read",
    "person:write",
    "company:read",
    "company:write",
    "identity_verification:read",
    "identity_verification:write",
    "onboarding_flow:read",
    "onboarding_flow:write",
    "customer_sar:read",
    "customer_sar:write",
    "transactions:delete",
    "person:delete",
    "company:delete",
    "changes:read",
    "changes:content",
]
"""The name of a scope."""


class _WriteResultRequired(TypedDict):
    success: bool
    """Always true: the request was processed."""
    write_count: int
    """Number of changes stored."""
    message: str
    """The same in words."""
    organization_id: str
    """Organization that it belongs to."""


class WriteResult(_WriteResultRequired, total=False):
    """The result of a write. The data is on stable storage."""

    results: List[WriteItemResult]
    """One entry per item, in order; only with `Prefer: handling=lenient`."""


class _WriteItemResultRequired(TypedDict):
    index: int
    """Index of the item in the list, from 0."""
    status: Literal["created", "updated", "unchanged", "refused"]
    """What happened to the item."""


class WriteItemResult(_WriteItemResultRequired, total=False):
    """The result of one item of a list."""

    id: str
    """Identifier of the record; absent if the item has no readable one."""
    code: int
    """Error code: the HTTP status times 100 plus a number. Stable, unlike the message."""
    message: str
    """
    Why it was refused; with `verdicts=single` also what was written, as the reply to a single
    request says.
    """
    errors: List[ErrorItem]
    """Detail about errors in specific fields."""


class ErrorItem(TypedDict, total=False):
    """Detail about an error in one field."""

    field: str
    """The field, as a path such as `amount` or `[3].addresses[0].type`."""
    message: str
    """What was expected, and what to do."""


class _DeletionStatusRequired(TypedDict):
    deletion_request_id: str
    """Unique identifier of the deletion request."""
    resource_type: str
    """Type of the record."""
    resource_id: str
    """Unique identifier of the record."""
    status: Literal["pending", "processing", "completed", "cancelled"]
    """Status of the request."""
    requested_at: str
    """When it was requested."""


class DeletionStatus(_DeletionStatusRequired, total=False):
    """The status of a deletion."""

    basis: Literal[
        "no_longer_necessary",
        "consent_withdrawn",
        "objection",
        "unlawful_processing",
        "legal_obligation",
        "child_services",
        "contract_ended",
        "retention_rule",
        "court_or_authority",
        "other",
    ]
    """Basis that the request stated."""
    due_at: str
    """
    When it will be processed, if that is later than the request: at the end of a grace period or of
    a retention floor.
    """
    completed_at: str
    """When it was completed and verified."""
    erased: Dict[str, int]
    """
    Number of records that the organization no longer has, by type; types without any are left out,
    and confidential types unless the token has their read scope.
    """
    receipt: DeletionReceipt
    disclosures: Dict[str, DisclosedCounts]
    """
    By type, the numbers that the receipt commits to, with their salts: of every type whose read
    scope the token has, also if there were none.
    """
    disclosed_approval: DisclosedApproval
    disclosed_basis: DisclosedBasis
    recipients: List[InformedRecipient]
    """The recipients of changes that were informed about what was erased."""
    statement: RecipientStatement


DeletionBasis = Literal[
    "no_longer_necessary",
    "consent_withdrawn",
    "objection",
    "unlawful_processing",
    "legal_obligation",
    "child_services",
    "contract_ended",
    "retention_rule",
    "court_or_authority",
    "other",
]
"""Basis that the request stated."""


class _DeletionReceiptRequired(TypedDict):
    type: Literal["sluice-deletion-receipt"]
    """What this document is."""
    version: Literal[2]
    """Version of the format."""
    store_id: str
    """Identifies the store, and so the chain."""
    receipt_no: int
    """Position in the chain of receipts of the store; 0 for one that is in no chain."""
    previous_receipt: str
    """SHA-256 of the receipt before it, in hex; zeros in the first."""
    organization_id: str
    """Organization that the record belonged to."""
    deletion_request_id: str
    """Unique identifier of the deletion request."""
    asked: DeletionReceiptAsked
    """The deletion request."""
    started_at: str
    """When the erasure began."""
    completed_at: str
    """When it was completed and verified."""
    counts: Dict[str, ReceiptCountHashes]
    """A salted hash instead of each number, by type, also where there were none."""
    verification: DeletionReceiptVerification
    """How the service verified that nothing is left."""
    key_id: str
    """Thumbprint (RFC 7638) of the public key."""
    signature: str
    """Ed25519 over the canonical JSON of everything else, base64url."""


class DeletionReceipt(_DeletionReceiptRequired, total=False):
    """
    The signed proof of a completed deletion. Its hash is the SHA-256 of its canonical JSON (RFC
    8785).
    """

    approval: ReceiptApproval
    carried_out_again: DeletionReceiptCarriedOutAgain
    """Only after a restore: the receipt that the deletion had before."""


class _DeletionReceiptAskedRequired(TypedDict):
    resource_type: str
    """Type of the record."""
    resource_id: str
    """Unique identifier of the record."""
    reason: str
    """Reason for deletion, as given."""
    by: str
    """Id of the API key that requested it, `operator` or `retention`."""
    at: str
    """When it was requested."""


class DeletionReceiptAsked(_DeletionReceiptAskedRequired, total=False):
    """The deletion request."""

    basis: str
    """
    Only if the request stated a basis: the SHA-256 of `["sluice-receipt-basis",salt,basis]`,
    base64url.
    """


class DeletionReceiptVerification(TypedDict):
    """How the service verified that nothing is left."""

    at: str
    """When."""
    engine: Literal["sqlite", "postgres"]
    """Engine of the store."""
    looked_at: List[str]
    """What was checked and found empty."""
    bytes: str
    """What had happened to the bytes at that time."""


class DeletionReceiptCarriedOutAgain(TypedDict):
    """Only after a restore: the receipt that the deletion had before."""

    because: Literal["restore"]
    """Why."""
    completed_at: Union[str, None]
    """When it was first completed."""
    receipt_no: Union[int, None]
    """The number of that receipt."""
    receipt: Union[str, None]
    """Its SHA-256."""


class ReceiptApproval(TypedDict):
    """
    Only if a second person had to approve the deletion: who asked and who approved, each as the
    SHA-256 of `["sluice-receipt-person",salt,"requester" or "approver",name]`, base64url.
    """

    requester: str
    """Hash of the name or key id of who requested it."""
    approver: str
    """Hash of the name of who approved it."""
    approved_at: str
    """When it was approved."""


class ReceiptCountHashes(TypedDict):
    """
    For each number, the SHA-256 of `["sluice-receipt-count",salt,type,kind,number]`, base64url.
    Without the salt it says nothing about the number.
    """

    removed: str
    """Records that the organization no longer has: erased, or kept as `kept` counts."""
    kept: str
    """How many of these an obligation to keep records keeps in the restricted store."""
    references_removed: str
    """References removed from records of this type that stay."""


class DisclosedCounts(TypedDict, total=False):
    """The numbers of a type that the caller may know."""

    removed: DisclosedCount
    """Records that the organization no longer has: erased, or kept as `kept` counts."""
    kept: DisclosedCount
    """How many of these an obligation to keep records keeps in the restricted store."""
    references_removed: DisclosedCount
    """References removed from records of this type that stay."""


class DisclosedCount(TypedDict):
    """A number, and the salt of its hash in the receipt."""

    count: int
    """The number."""
    salt: str
    """The salt."""


class DisclosedApproval(TypedDict):
    """The two people to whom the receipt commits, if it does."""

    requester: DisclosedPerson
    approver: DisclosedPerson


class DisclosedPerson(TypedDict):
    """A name, and the salt of its hash in the receipt."""

    name: str
    """The name."""
    salt: str
    """The salt."""


class DisclosedBasis(TypedDict):
    """The basis that the request stated, and the salt of its hash in the receipt."""

    basis: str
    """The basis."""
    salt: str
    """The salt."""


class _InformedRecipientRequired(TypedDict):
    name: str
    """Name of the recipient."""
    told_at: str
    """When the last notice for it was written to the feed of changes."""


class InformedRecipient(_InformedRecipientRequired, total=False):
    """A recipient that was informed about what a deletion has erased."""

    acknowledged_at: str
    """When it had acknowledged all of them."""
    removed_at: str
    """When it was removed before it had."""
    expired_at: str
    """When a notice was erased, because of its age, before it had."""


class RecipientStatement(TypedDict):
    """The signed statement that every recipient has acknowledged what was erased."""

    type: Literal["sluice-recipient-statement"]
    """What it is."""
    version: Literal[1]
    """Its version."""
    store_id: str
    """Identifies the store."""
    receipt_no: Literal[0]
    """It is in no chain."""
    receipt_hash: str
    """The SHA-256 of the receipt of the deletion."""
    organization_id: str
    """The organization."""
    deletion_request_id: str
    """Unique identifier of the deletion request."""
    recipients: List[RecipientStatementRecipientsItem]
    """The recipients, and when each had acknowledged."""
    key_id: str
    """The key that signed it, one of `/.well-known/sluice-receipts.json`."""
    signature: str
    """Ed25519 over the canonical JSON of everything else, base64url."""


class RecipientStatementRecipientsItem(TypedDict):
    """A recipient."""

    name: str
    """Name of the recipient."""
    told_at: str
    """When the last notice for it was written."""
    acknowledged_at: str
    """When it had acknowledged all of them."""


class _ChangeEventRequired(TypedDict):
    specversion: str
    """1.0."""
    id: str
    """Opaque; the same for this change in every reply, and unique with the source."""
    source: str
    """The organization."""
    type: Literal[
        "sluice.transaction.created",
        "sluice.transaction.updated",
        "sluice.transaction_check.created",
        "sluice.transaction_check.updated",
        "sluice.transaction_alert.created",
        "sluice.transaction_alert.updated",
        "sluice.transaction_suspicious_activity.created",
        "sluice.transaction_suspicious_activity.updated",
        "sluice.screening.created",
        "sluice.screening.updated",
        "sluice.risk_assessment.created",
        "sluice.risk_assessment.updated",
        "sluice.person.created",
        "sluice.person.updated",
        "sluice.company.created",
        "sluice.company.updated",
        "sluice.identity_verification.created",
        "sluice.identity_verification.updated",
        "sluice.onboarding_flow.created",
        "sluice.onboarding_flow.updated",
        "sluice.customer_sar.created",
        "sluice.customer_sar.updated",
        "sluice.record.erased",
        "sluice.deletion.completed",
    ]
    """The type of the record, and what happened to it."""
    subject: str
    """Unique identifier of the record, or of the deletion that was completed."""
    time: str
    """When the change was received, or the record was erased."""


class ChangeEvent(_ChangeEventRequired, total=False):
    """A change, as a CloudEvent 1.0 in structured JSON."""

    datacontenttype: str
    """With data: application/json."""
    data: Dict[str, Any]
    """
    With content: the change as it was sent. Of an erased record: `resource_type` and
    `deletion_request_id`.
    """


class TransactionExistence(TypedDict):
    """The transaction exists."""

    tx_id: str
    """Unique identifier of the transaction."""
    first_seen: str
    """Earliest timestamp associated with the transaction."""
    last_seen: str
    """Latest timestamp associated with the transaction."""
    organization_id: str
    """Organization for which the transaction was found."""


class TransactionDeletionAccepted(TypedDict):
    """The deletion is queued."""

    tx_id: str
    """Unique identifier of the transaction."""
    deletion_request_id: str
    """Unique identifier of the deletion request, for `GET /v2/deletion_request`."""


class TransactionCheckExistence(TypedDict):
    """The transaction check exists."""

    check_id: str
    """Unique identifier of the transaction check."""
    first_seen: str
    """Earliest timestamp associated with the transaction check."""
    last_seen: str
    """Latest timestamp associated with the transaction check."""
    organization_id: str
    """Organization for which the transaction check was found."""


class TransactionAlertExistence(TypedDict):
    """The transaction alert exists."""

    alert_id: str
    """Unique identifier of the transaction alert."""
    first_seen: str
    """Earliest timestamp associated with the transaction alert."""
    last_seen: str
    """Latest timestamp associated with the transaction alert."""
    organization_id: str
    """Organization for which the transaction alert was found."""


class TransactionSuspiciousActivityExistence(TypedDict):
    """The transaction suspicious activity exists."""

    suspicious_activity_id: str
    """Unique identifier of the transaction suspicious activity."""
    first_seen: str
    """Earliest timestamp associated with the transaction suspicious activity."""
    last_seen: str
    """Latest timestamp associated with the transaction suspicious activity."""
    organization_id: str
    """Organization for which the transaction suspicious activity was found."""


class ScreeningExistence(TypedDict):
    """The screening exists."""

    screening_id: str
    """Unique identifier of the screening."""
    first_seen: str
    """Earliest timestamp associated with the screening."""
    last_seen: str
    """Latest timestamp associated with the screening."""
    organization_id: str
    """Organization for which the screening was found."""


class RiskAssessmentExistence(TypedDict):
    """The risk assessment exists."""

    assessment_id: str
    """Unique identifier of the risk assessment."""
    first_seen: str
    """Earliest timestamp associated with the risk assessment."""
    last_seen: str
    """Latest timestamp associated with the risk assessment."""
    organization_id: str
    """Organization for which the risk assessment was found."""


class PersonExistence(TypedDict):
    """The person exists."""

    person_id: str
    """Unique identifier of the person."""
    first_seen: str
    """Earliest timestamp associated with the person."""
    last_seen: str
    """Latest timestamp associated with the person."""
    organization_id: str
    """Organization for which the person was found."""


class PersonDeletionAccepted(TypedDict):
    """The deletion is queued."""

    person_id: str
    """Unique identifier of the person."""
    deletion_request_id: str
    """Unique identifier of the deletion request, for `GET /v2/deletion_request`."""


class CompanyExistence(TypedDict):
    """The company exists."""

    company_id: str
    """Unique identifier of the company."""
    first_seen: str
    """Earliest timestamp associated with the company."""
    last_seen: str
    """Latest timestamp associated with the company."""
    organization_id: str
    """Organization for which the company was found."""


class CompanyDeletionAccepted(TypedDict):
    """The deletion is queued."""

    company_id: str
    """Unique identifier of the company."""
    deletion_request_id: str
    """Unique identifier of the deletion request, for `GET /v2/deletion_request`."""


class IdentityVerificationExistence(TypedDict):
    """The identity verification exists."""

    verification_id: str
    """Unique identifier of the identity verification."""
    first_seen: str
    """Earliest timestamp associated with the identity verification."""
    last_seen: str
    """Latest timestamp associated with the identity verification."""
    organization_id: str
    """Organization for which the identity verification was found."""


class OnboardingFlowExistence(TypedDict):
    """The onboarding flow exists."""

    onboarding_flow_id: str
    """Unique identifier of the onboarding flow."""
    first_seen: str
    """Earliest timestamp associated with the onboarding flow."""
    last_seen: str
    """Latest timestamp associated with the onboarding flow."""
    organization_id: str
    """Organization for which the onboarding flow was found."""


class CustomerSarExistence(TypedDict):
    """The customer SAR exists."""

    sar_id: str
    """Unique identifier of the customer SAR."""
    first_seen: str
    """Earliest timestamp associated with the customer SAR."""
    last_seen: str
    """Latest timestamp associated with the customer SAR."""
    organization_id: str
    """Organization for which the customer SAR was found."""
