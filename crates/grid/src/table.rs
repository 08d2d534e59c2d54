//! Tables: lists of things that are not cells (rivers, lakes, plates), column by column.

/// A named list of rows, stored by column.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Unique within a world.
    pub name: String,
    columns: Vec<Column>,
}

/// One property of all rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Unique within the table.
    pub name: String,
    /// Unit of the values, `1` for plain numbers and texts.
    pub unit: String,
    /// One value a row.
    pub values: ColumnValues,
}

/// The values of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnValues {
    /// Counts and identities.
    U32(Vec<u32>),
    /// Quantities.
    F64(Vec<f64>),
    /// Words.
    Text(Vec<String>),
}

impl ColumnValues {
    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::U32(v) => v.len(),
            Self::F64(v) => v.len(),
            Self::Text(v) => v.len(),
        }
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Table {
    /// An empty table.
    pub fn new(name: &str) -> Self {
        Self { name: name.into(), columns: Vec::new() }
    }

    /// The table with one more column. `None` if its length differs from that of the columns before.
    pub fn with(mut self, name: &str, unit: &str, values: ColumnValues) -> Option<Self> {
        if self.columns.first().is_some_and(|first| first.values.len() != values.len()) {
            return None;
        }
        self.columns.push(Column { name: name.into(), unit: unit.into(), values });
        Some(self)
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |c| c.values.len())
    }

    /// All columns, in order.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The column of this name, if its values are whole numbers.
    pub fn u32s(&self, name: &str) -> Option<&[u32]> {
        match &self.column(name)?.values {
            ColumnValues::U32(v) => Some(v),
            _ => None,
        }
    }

    /// The column of this name, if its values are quantities.
    pub fn f64s(&self, name: &str) -> Option<&[f64]> {
        match &self.column(name)?.values {
            ColumnValues::F64(v) => Some(v),
            _ => None,
        }
    }

    /// The column of this name, if its values are words.
    pub fn texts(&self, name: &str) -> Option<&[String]> {
        match &self.column(name)?.values {
            ColumnValues::Text(v) => Some(v),
            _ => None,
        }
    }

    fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|c| c.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_one_length() {
        let table = Table::new("lakes").with("id", "1", ColumnValues::U32(vec![1, 2])).expect("first column");
        assert!(table.clone().with("area", "m2", ColumnValues::F64(vec![1.0])).is_none());
        let table = table.with("area", "m2", ColumnValues::F64(vec![1.0, 2.5])).expect("two rows");
        assert_eq!((table.rows(), table.f64s("area")), (2, Some(&[1.0, 2.5][..])));
        assert_eq!(table.u32s("area"), None);
    }
}
