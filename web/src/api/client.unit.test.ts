import { describe, expect, it } from 'vitest';
import { ApiError, addressOf, isOutage } from './client.ts';

describe('addressOf', () => {
  it('fills and escapes the parts of a path', () => {
    expect(addressOf('/api/v1/connections/{id}/coverage', { params: { id: 7 } })).toBe(
      '/api/v1/connections/7/coverage',
    );
    expect(addressOf('/x/{name}', { params: { name: '../a b?' } })).toBe('/x/..%2Fa%20b%3F');
  });

  it('repeats lists and leaves out what is not given', () =>
    expect(addressOf('/x', { query: { a: 1, b: ['p', 'q'], c: undefined, d: null, e: false } })).toBe(
      '/x?a=1&b=p&b=q&e=false',
    ));
});

it('tells an outage from a refusal', () => {
  expect(isOutage(null)).toBe(false);
  expect(isOutage(new ApiError('', { status: 0 }))).toBe(true);
  expect(isOutage(new ApiError('', { status: 503 }))).toBe(true);
  expect(isOutage(new ApiError('', { status: 403 }))).toBe(false);
});
