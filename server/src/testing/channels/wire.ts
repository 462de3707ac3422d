// What the kit of channels sends to a peer, for the scenes that say what arrives there.
export const CANARY = 'canary-5f1e';
export const KEY = 'd4c1f0de-0000-4000-8000-000000000001';
export const TIMESTAMP = '2026-01-15T10:00:00Z';
export const HEADLINE = 'orders / orders-db-1 [warning]: High connection usage';
