import { useUrlPages } from '../data/url-state.ts'
import { Button } from './button.tsx'

interface Props {
  list: Parameters<typeof useUrlPages>[0]
  label?: string
  /** Parameter of the URL, where a page has several such lists. */
  parameter?: string
}

/** Loads the next page of a list, if there is one; the URL holds how many are shown. */
export function ShowMore({ list, label = 'Show more', parameter }: Props) {
  const showMore = useUrlPages(list, parameter)
  if (!showMore) return null
  return (
    <div className="border-t border-line p-3 text-center">
      <Button disabled={list.isFetchingNextPage} onClick={showMore}>
        {list.isFetchingNextPage ? 'Loading…' : label}
      </Button>
    </div>
  )
}
