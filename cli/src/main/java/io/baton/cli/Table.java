package io.baton.cli;

import java.util.ArrayList;
import java.util.List;

/** Rows in columns; the first column is aligned left, the others right. */
final class Table {
  private final List<List<String>> rows = new ArrayList<>();

  Table(String... header) {
    rows.add(List.of(header));
  }

  void row(Object... cells) {
    List<String> row = new ArrayList<>();
    for (Object cell : cells) {
      row.add(cell.toString());
    }
    rows.add(row);
  }

  @Override
  public String toString() {
    int columns = rows.get(0).size();
    StringBuilder text = new StringBuilder();
    for (int r = 0; r < rows.size(); r++) {
      StringBuilder line = new StringBuilder();
      for (int c = 0; c < columns; c++) {
        String cell = rows.get(r).get(c);
        String padding = " ".repeat(width(c) - cell.length());
        line.append(c == 0 ? cell + padding : "  " + padding + cell);
      }
      text.append(line.toString().stripTrailing()).append('\n');
      if (r == 0) {
        text.append("-".repeat(line.length())).append('\n');
      }
    }
    return text.toString();
  }

  private int width(int column) {
    return rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0);
  }
}
