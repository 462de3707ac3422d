// A search whose value follows a moment later, as the address does on a page that takes long to draw.
import { act, screen } from '@testing-library/react';
import { useState } from 'react';
import { expect, it } from 'vitest';
import { show } from '../testing/show.tsx';
import { SearchField } from './search-field.tsx';

it('shows each letter at once, and what is set from elsewhere', async () => {
  const late: (() => void)[] = [];
  function Slow() {
    const [value, setValue] = useState('');
    return (
      <>
        <SearchField label="Search" value={value} onChange={(next) => late.push(() => setValue(next))} />
        <button type="button" onClick={() => setValue('')}>
          Clear
        </button>
      </>
    );
  }
  const { user } = show(<Slow />);
  const field = await screen.findByRole<HTMLInputElement>('searchbox');
  const arrive = (count: number) =>
    act(() => {
      for (const one of late.splice(0, count)) one();
    });
  await user.type(field, 'dead');
  expect(field.value).toBe('dead');
  arrive(2);
  expect(field.value).toBe('dead');
  await user.type(field, 'lock');
  arrive(6);
  expect(field.value).toBe('deadlock');
  await user.click(screen.getByText('Clear'));
  expect(field.value).toBe('');
  await user.type(field, 'x{Escape}');
  arrive(2);
  expect(field.value).toBe('');
});
