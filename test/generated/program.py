"""What a program does with the client that openapi-python-client makes; prints what it was answered, as JSON."""

import datetime
import json
import sys

from sluice_client import AuthenticatedClient
from sluice_client.api.onboarding_flow import add_onboarding_flow
from sluice_client.api.transaction import add_transaction, add_transaction_batch, check_transaction
from sluice_client.models import (
    Error,
    OnboardingFlow,
    Transaction,
    TransactionExistence,
    TransactionMethod,
    TransactionStatus,
    TransactionType,
    WriteResult,
)

base_url, token = sys.argv[1:]
client = AuthenticatedClient(base_url=base_url, token=token)
moment = datetime.datetime(2026, 1, 31, 9, 30, tzinfo=datetime.timezone.utc)


def transaction(tx_id: str) -> Transaction:
    return Transaction(
        tx_id=tx_id,
        type_=TransactionType.DEPOSIT,
        method=TransactionMethod.SEPA,
        amount=None,
        currency="EUR",
        status=TransactionStatus.SETTLED,
        sender_id="person-1",
        sender_country="DE",
        receiver_id=None,
        timestamp=moment,
    )


added = add_transaction.sync(client=client, body=transaction("python"))
assert isinstance(added, WriteResult), added
again = add_transaction.sync(client=client, body=transaction("python"))
assert isinstance(again, Error), again
batch = [transaction("python"), transaction("python 2")]
listed = add_transaction_batch.sync(client=client, body=batch)
assert isinstance(listed, WriteResult), listed
found = check_transaction.sync(client=client, tx_id="python")
assert isinstance(found, TransactionExistence), found
flow = add_onboarding_flow.sync(
    client=client,
    body=[
        OnboardingFlow(
            onboarding_flow_id="python",
            flow_name="f",
            outcome="approved",
            outcome_reason={"scores": [1, {"two": None}]},
            timestamp=moment,
        )
    ],
)
assert isinstance(flow, WriteResult), flow
assert again.message != ""
print(json.dumps([added.write_count, again.code, listed.write_count, found.tx_id, flow.write_count]))
