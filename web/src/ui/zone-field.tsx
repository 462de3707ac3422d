// A time zone by its name, with all that the browser knows on offer.
import { SuggestField, type SuggestFieldProps } from './suggest-field.tsx';

export function ZoneField(props: Pick<SuggestFieldProps, 'value' | 'onChange' | 'description'>) {
  const offered = ['UTC', ...Intl.supportedValuesOf('timeZone')].map((value) => ({ value }));
  return <SuggestField label="Time zone" maxLength={64} offered={offered} {...props} />;
}
