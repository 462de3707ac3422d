-- Tokens of sign-in providers at /mcp/v1: the audit log names the identity by which the caller came.
alter table matriarch.user_identities add column id serial unique;

alter table matriarch.audit_events drop constraint audit_events_via_known;
alter table matriarch.audit_events add constraint audit_events_via_known
  check (via in ('session', 'token', 'provider_token', 'system'));
