"""What a program does with the Python client of openapi-generator; prints what it was answered, as JSON."""

import json
import sys
from datetime import datetime, timezone

import openapi_client as sluice

base_url, token = sys.argv[1:]
client = sluice.ApiClient(sluice.Configuration(host=base_url, access_token=token))
field = sluice.AdditionalProperty(key="k", value="v", type="STRING")
flow = dict(onboarding_flow_id="generator", flow_name="f", outcome="x", additional_properties=[field])
flow |= dict(outcome_reason={"scores": [1, {"two": None}]}, timestamp=datetime(2026, 1, 31, tzinfo=timezone.utc))
added = sluice.OnboardingFlowApi(client).add_onboarding_flow([sluice.OnboardingFlow(**flow)])
events = sluice.ChangesApi(client).read_changes(offset="-1", include="content")
print(json.dumps([added.write_count, events[-1].subject]))
